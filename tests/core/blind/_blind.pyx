"""Any game with players that are asked twice: as it is, and with all that they cannot see exchanged.

The rule record keeps its game's hooks but for the one in which the players are exchanged.
"""

from libc.stdlib cimport rand, srand
from libc.string cimport memset

from cython_core._hand cimport Hand, hand_add, hand_add_wild
from cython_core._rules cimport (
    ACT_DISCARD, Action, Claim, Hooks, Meld, Policy, RuleRecord, Seat, Table, Turn,
)
from cython_core._types cimport (
    MAX_WALL, MELD_KONG_CONCEALED, N_KINDS, N_SEATS, NO_KIND, WILD, int64_t, uint8_t, uint64_t,
)
from cython_core._wall cimport wall_left

cdef enum:
    MOST = 6            # kinds of questions: turn, claim, opening, bid, win, bao

cdef Hooks hooks
cdef const Hooks* own
cdef Policy inner[N_SEATS]
cdef bint peeks
# Where a game notes the tile that not everybody has seen, and that a seat has; -1 nowhere.
cdef int hidden_kind
cdef int hidden_seen
cdef int64_t asked[MOST]
cdef int64_t differ[MOST]


cdef int as_played(int wild, int kind) noexcept nogil:
    if kind == wild:
        return WILD
    return wild if kind == WILD and wild != NO_KIND else kind


cdef int below(int n) noexcept nogil:
    return rand() % n


cdef void exchange_hand(Seat* other, const uint8_t* pool, int n) noexcept nogil:
    """Put these tiles into a hand, and spoil what follows from them."""
    cdef Hand* hand = &other.hand
    cdef int i
    memset(hand.count, 0, N_KINDS)
    memset(hand.index, 0, sizeof(hand.index))
    hand.tiles = 0
    hand.wilds = 0
    hand.pairs = 0
    for i in range(n):
        if pool[i] == WILD and hand.white:
            hand_add_wild(hand)
        else:
            hand_add(hand, pool[i])
    other.waits = <uint64_t>below(1 << 30)
    other.shanten = <uint8_t>below(7)
    other.quads = 0
    for i in range(N_KINDS):
        other.dealt[i] = <uint8_t>below(5)
        if hand.count[i] == 4 and not (i == WILD and hand.white):
            other.quads |= <uint64_t>1 << i


cdef void hide(Table* table, int viewer) noexcept nogil:
    """Deal out anew whatever the seat cannot see: the wall and the others' tiles."""
    cdef uint8_t pool[MAX_WALL]
    cdef int slot[MAX_WALL]
    cdef int held[N_SEATS]
    cdef int n = 0, n_slots = 0, i, k, _copy, seat, tile, kind
    cdef bint unseen_tile
    cdef Meld* meld
    cdef Hand* hand
    for i in range(table.wall.size if wall_left(&table.wall) else 0):
        if not table.wall.gone[i]:
            slot[n_slots] = i
            n_slots += 1
            pool[n] = <uint8_t>as_played(table.wild, table.wall.tile[i])
            n += 1
    for seat in range(N_SEATS):
        hand = &table.seat[seat].hand
        held[seat] = 0
        if seat == viewer:
            continue
        for kind in range(N_KINDS):
            for _copy in range(hand.count[kind]):
                pool[n] = <uint8_t>kind
                n += 1
                held[seat] += 1
    unseen_tile = (
        hidden_kind >= 0 and table.game[hidden_kind]
        and table.seat[viewer].note[hidden_seen] == 0
    )
    if unseen_tile:
        pool[n] = <uint8_t>(table.game[hidden_kind] - 1)
        n += 1
    for i in range(n - 1, 0, -1):
        k = below(i + 1)
        tile = pool[i]
        pool[i] = pool[k]
        pool[k] = <uint8_t>tile
    # Hands hold no bonus tiles: these go to the wall.
    k = 0
    for i in range(n):
        if pool[i] < N_KINDS and not table.rules.bonus >> pool[i] & 1:
            tile = pool[i]
            pool[i] = pool[k]
            pool[k] = <uint8_t>tile
            k += 1
    if unseen_tile:
        table.game[hidden_kind] = 1 + pool[n - n_slots - 1]
    k = 0
    for seat in range(N_SEATS):
        if seat != viewer:
            exchange_hand(&table.seat[seat], pool + k, held[seat])
            k += held[seat]
            for i in range(table.seat[seat].hand.melds):
                meld = &table.seat[seat].meld[i]
                if meld.type == MELD_KONG_CONCEALED and table.rules.concealed_kong_hidden:
                    meld.kind = <uint8_t>below(27)
                    memset(meld.tiles, meld.kind, 4)
    for i in range(n_slots):
        table.wall.tile[slot[i]] = <uint8_t>as_played(table.wild, pool[n - n_slots + i])
    table.log = NULL


cdef void ask_twice_turn(Table* table, int seat, const Turn* turn, Action* action) noexcept nogil:
    cdef Table other = table[0]
    cdef Action blind
    memset(&blind, 0, sizeof(Action))
    hide(&other, seat)
    inner[seat].turn(&other, seat, turn, &blind)
    inner[seat].turn(table, seat, turn, action)
    asked[0] += 1
    differ[0] += (
        blind.type != action.type
        or (blind.kind != action.kind and not turn.win)
        or (blind.mode != action.mode and action.type == ACT_DISCARD)
    )


cdef void ask_twice_claim(Table* table, int seat, const Claim* claim, Action* action) noexcept nogil:
    cdef Table other = table[0]
    cdef Action blind
    memset(&blind, 0, sizeof(Action))
    hide(&other, seat)
    inner[seat].claim(&other, seat, claim, &blind)
    inner[seat].claim(table, seat, claim, action)
    asked[1] += 1
    differ[1] += blind.type != action.type or blind.kind != action.kind


cdef int ask_twice_opening(Table* table, int seat, int modes) noexcept nogil:
    cdef Table other = table[0]
    cdef int blind, mode
    hide(&other, seat)
    blind = inner[seat].opening(&other, seat, modes)
    mode = inner[seat].opening(table, seat, modes)
    asked[2] += 1
    differ[2] += blind != mode
    return mode


cdef int64_t ask_twice_bid(
    Table* table, int seat, int bid, const int64_t* amounts, int n
) noexcept nogil:
    cdef Table other = table[0]
    cdef int64_t blind, amount
    hide(&other, seat)
    blind = inner[seat].bid(&other, seat, bid, amounts, n)
    amount = inner[seat].bid(table, seat, bid, amounts, n)
    asked[3] += 1
    differ[3] += blind != amount
    return amount


cdef int ask_twice_win(Table* table, int seat, int by, int tile) noexcept nogil:
    cdef Table other = table[0]
    cdef int blind, taken
    hide(&other, seat)
    blind = inner[seat].win(&other, seat, by, tile)
    taken = inner[seat].win(table, seat, by, tile)
    asked[4] += 1
    differ[4] += blind != taken
    return taken


cdef int ask_twice_bao(Table* table, int seat) noexcept nogil:
    cdef Table other = table[0]
    cdef int blind, wanted
    hide(&other, seat)
    blind = inner[seat].bao(&other, seat)
    wanted = inner[seat].bao(table, seat)
    asked[5] += 1
    differ[5] += blind != wanted
    return wanted


cdef void peeking_turn(Table* table, int seat, const Turn* turn, Action* action) noexcept nogil:
    """Throws what the next seat lacks: what this test must notice."""
    cdef int kind, number
    memset(action, 0, sizeof(Action))
    action.kind = turn.tile
    if turn.win:
        action.type = 1
        return
    number = (seat + 1) & 3
    for kind in range(N_KINDS):
        if (
            table.seat[seat].hand.count[kind] and turn.discards >> kind & 1
            and table.seat[number].hand.count[kind] == 0
        ):
            action.kind = <uint8_t>kind
            return
    if table.seat[seat].hand.count[turn.tile] == 0:
        for kind in range(N_KINDS):
            if table.seat[seat].hand.count[kind]:
                action.kind = <uint8_t>kind


cdef void before_deal(Table* table) noexcept nogil:
    cdef int seat
    for seat in range(N_SEATS):
        if table.policy[seat].turn != ask_twice_turn:
            inner[seat] = table.policy[seat]
            if peeks:
                inner[seat].turn = peeking_turn
            table.policy[seat].turn = ask_twice_turn
            table.policy[seat].claim = ask_twice_claim
            table.policy[seat].opening = ask_twice_opening
            table.policy[seat].bid = ask_twice_bid
            table.policy[seat].win = ask_twice_win
            table.policy[seat].bao = ask_twice_bao
    if own.before_deal != NULL:
        own.before_deal(table)


def watch(RuleRecord record, *, hidden, peek, seed):
    """Let a record's games be played by players that are asked twice.

    Parameters
    ----------
    record : RuleRecord
        Not to be used for anything else afterwards.
    hidden : pair of int
        Places of a tile that not every seat has seen, in the table's notes and in a seat's; -1, -1.
    peek : bool
        Let the players look at what they may not.
    seed : int
        Of the exchanges.
    """
    global hooks, own, peeks, hidden_kind, hidden_seen
    own = record.rules.hooks
    hooks = own[0]
    hooks.before_deal = before_deal
    record.rules.hooks = &hooks
    peeks = peek
    hidden_kind, hidden_seen = hidden
    memset(asked, 0, sizeof(asked))
    memset(differ, 0, sizeof(differ))
    srand(seed)


def answers():
    """How often players were asked, and answered otherwise; by kind of question."""
    return [(asked[i], differ[i]) for i in range(MOST)]
