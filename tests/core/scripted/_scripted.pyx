"""Any game with dealt hands, wall and decisions as a test writes them, and what the loop offered.

The rule record keeps its game's hooks but for the two in which the scene is laid and the players are
exchanged.
"""

from libc.string cimport memset

from cython_core._hand cimport hand_add, hand_lock
from cython_core._rules cimport (
    ACT_DISCARD, ACT_PASS, ACT_WIN, Action, Claim, Hooks, RuleRecord, Seat,
    Table, Turn,
)
from cython_core._types cimport (
    MAX_WALL, N_KINDS, N_SEATS, NO_SEAT, uint8_t, uint64_t,
)
from cython_core._wall cimport wall_open

cdef enum:
    MOST = 400

cdef Hooks hooks
cdef Hooks game             # as the game has them
cdef int dealer
cdef Seat scene[N_SEATS]
cdef uint8_t wall[MAX_WALL]
# What each seat does when asked, one after another; then the default.
cdef Action turns[N_SEATS][MOST]
cdef Action claims[N_SEATS][MOST]
cdef int wins[N_SEATS][MOST]
cdef int n_turns[N_SEATS]
cdef int n_claims[N_SEATS]
cdef int n_wins[N_SEATS]
cdef int at_turn[N_SEATS]
cdef int at_claim[N_SEATS]
cdef int at_win[N_SEATS]

cdef struct Offer:
    int what            # 0 own turn, 1 claim, 2 win on another's tile
    int seat
    int turn            # turns begun
    int by
    int tile
    int win
    uint64_t concealed
    uint64_t added
    int pong
    int kong
    int specials

cdef Offer offers[MOST]
cdef int n_offers


cdef Offer* note(const Table* table, int what, int seat, int by, int tile) noexcept nogil:
    global n_offers
    cdef Offer* offer = &offers[min(n_offers, MOST - 1)]
    n_offers += 1
    memset(offer, 0, sizeof(Offer))
    offer.what = what
    offer.seat = seat
    offer.turn = table.turns
    offer.by = by
    offer.tile = tile
    return offer


cdef void take_turn(Table* table, int seat, const Turn* turn, Action* action) noexcept nogil:
    cdef Offer* offer = note(table, 0, seat, turn.by, turn.tile)
    cdef int kind
    offer.win = turn.win
    offer.concealed = turn.concealed
    offer.added = turn.added
    offer.specials = turn.specials
    memset(action, 0, sizeof(Action))
    if at_turn[seat] < n_turns[seat]:
        action[0] = turns[seat][at_turn[seat]]
        at_turn[seat] += 1
        return
    # The default: win, else throw what was drawn.
    action.type = ACT_WIN if turn.win else ACT_DISCARD
    action.kind = turn.tile
    if table.seat[seat].hand.count[turn.tile] == 0:
        for kind in range(N_KINDS):
            if table.seat[seat].hand.count[kind]:
                action.kind = <uint8_t>kind


cdef void take_claim(Table* table, int seat, const Claim* claim, Action* action) noexcept nogil:
    cdef Offer* offer = note(table, 1, seat, -1, claim.tile)
    offer.pong = claim.pong
    offer.kong = claim.kong
    memset(action, 0, sizeof(Action))
    action.type = ACT_PASS
    if at_claim[seat] < n_claims[seat]:
        action[0] = claims[seat][at_claim[seat]]
        at_claim[seat] += 1


cdef int take_win(Table* table, int seat, int by, int tile) noexcept nogil:
    note(table, 2, seat, by, tile)
    if at_win[seat] < n_wins[seat]:
        at_win[seat] += 1
        return wins[seat][at_win[seat] - 1]
    return 1


cdef void before_deal(Table* table) noexcept nogil:
    cdef int seat
    table.carried.dealer = dealer
    for seat in range(N_SEATS):
        table.policy[seat].turn = take_turn
        table.policy[seat].claim = take_claim
        table.policy[seat].win = take_win
        at_turn[seat] = 0
        at_claim[seat] = 0
        at_win[seat] = 0


cdef void after_deal(Table* table) noexcept nogil:
    cdef int seat, i
    for i in range(table.wall.size):
        table.wall.tile[i] = wall[i]
    wall_open(&table.wall, 13 * N_SEATS + 1)
    for seat in range(N_SEATS):
        table.seat[seat] = scene[seat]
    if game.after_deal != NULL:
        game.after_deal(table)


def play(
    RuleRecord record, player, *, first, hands, melds, flowers, draws, actions, answers, taken
):
    """Play one deal as written.

    Parameters
    ----------
    record : RuleRecord
        Not to be used for anything else afterwards.
    player : Player
        Of that record.
    first : int
        Dealer.
    hands, melds, flowers : four lists
        Kinds in hand (the dealer's one more); pairs of meld type and kind; bonus kinds.
    draws : list of int
        The wall from its 54th tile on.
    actions, answers, taken : four lists
        Own turns and claims as pairs of action and kind, where it counts with a mode; wins on
        others' tiles, taken or not.

    Returns
    -------
    log : dict
    offers : list of dict
    """
    global dealer, hooks, game, n_offers
    cdef int seat, i, kind, type_of_meld, _copy
    cdef Seat* me
    game = record.rules.hooks[0]
    hooks = game
    hooks.before_deal = before_deal
    hooks.after_deal = after_deal
    record.rules.hooks = &hooks
    dealer = first
    n_offers = 0
    memset(scene, 0, sizeof(scene))
    for seat in range(N_SEATS):
        me = &scene[seat]
        me.listen = -1
        me.shanten = 8
        for kind in hands[seat]:
            hand_add(&me.hand, kind)
        for kind in range(N_KINDS):
            if me.hand.count[kind] == 4:
                me.quads |= <uint64_t>1 << kind
        for i, (type_of_meld, kind) in enumerate(melds[seat]):
            me.meld[i].type = type_of_meld
            me.meld[i].kind = kind
            me.meld[i].source = NO_SEAT
            me.meld[i].n = 3 + (type_of_meld > 1)
            for _copy in range(me.meld[i].n):
                me.meld[i].tiles[_copy] = kind
                hand_lock(&me.hand, kind)
            me.hand.melds += 1
        for i, kind in enumerate(flowers[seat]):
            me.bonus[i] = kind
        me.n_bonus = len(flowers[seat])
        n_turns[seat] = len(actions[seat])
        n_claims[seat] = len(answers[seat])
        n_wins[seat] = len(taken[seat])
        for i, (type_of_action, kind, *mode) in enumerate(actions[seat]):
            memset(&turns[seat][i], 0, sizeof(Action))
            turns[seat][i].type = type_of_action
            turns[seat][i].kind = kind
            turns[seat][i].mode = sum(mode)
        for i, (type_of_action, kind) in enumerate(answers[seat]):
            memset(&claims[seat][i], 0, sizeof(Action))
            claims[seat][i].type = type_of_action
            claims[seat][i].kind = kind
        for i, answer in enumerate(taken[seat]):
            wins[seat][i] = answer
    for i, kind in enumerate(draws):
        wall[13 * N_SEATS + 1 + i] = kind
    log = player.log(0, bytearray(1 << 16))
    return log, [offers[i] for i in range(min(n_offers, MOST))]
