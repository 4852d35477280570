"""The turn loop that all games share, and the kernel that plays whole matches without the GIL."""

from libc.string cimport memset

from cython_core._bits cimport lowest_bit, popcount
from cython_core._hand cimport (
    Hand, Tables, complete, hand_add, hand_add_wild, hand_lock, hand_remove, hand_remove_wild,
    shanten, wait_class, waits,
)
from cython_core._policy cimport policy_of
from cython_core._rules cimport (
    ACT_ADDED, ACT_CHOW, ACT_CONCEALED, ACT_DISCARD, ACT_KONG, ACT_PASS, ACT_PONG, ACT_SPECIAL,
    ACT_WIN, AFTER_DISCARD, AFTER_MELD, BEFORE_DRAW, EV_CHOW, EV_DISCARD, EV_DRAW, EV_EXHAUSTED,
    EV_FLOWER, EV_INDICATOR, EV_KONG, EV_KONG_PAYMENT, EV_PONG, EV_READY, EV_ROB, EV_SPECIAL_KONG,
    EV_SUPPLEMENT,
    EV_WIN, KONG_NEVER, KONG_SAME_WAITS, LEGAL, LISTEN_ANOTHER_WON, LISTEN_CHANGED,
    LISTEN_DEALT_IN, LISTEN_EXHAUSTED, LISTEN_WON_BY_DISCARD, LISTEN_WON_BY_DRAW, MAX_EVENTS,
    LEVELS, MAX_BIDS, MAX_SPECIALS, OF_KONGS, Action, Aim, Carried, Claim, Event, Listen,
    Log, Meld, Outcome, RuleRecord, Rules, Seat, Settlement, Special, Table, Turn, Win,
)
from cython_core._stream cimport (
    PURPOSE_DICE, PURPOSE_MATCH, PURPOSE_SPLIT, PURPOSE_WALL, Key, Stream, stream_below,
    stream_next, stream_open,
)
from cython_core._suits cimport tables
from cython_core._table cimport describe_win, emit, note_payment
from cython_core._types cimport (
    BY_BAO_VIEW, BY_CLAIM, BY_DEALT, BY_DISCARD, BY_FLOWER_DRAW, BY_KONG_DRAW, BY_ROB_KONG,
    BY_SELF_DRAW, MAX_WALL, MELD_CHOW, MELD_KONG_ADDED, MELD_KONG_CONCEALED, MELD_KONG_EXPOSED,
    MELD_PONG, N_KINDS, N_MELD_TYPES, N_SEATS, NO_KIND, NO_SEAT, WILD, int8_t, int16_t, int32_t,
    int64_t, uint8_t, uint32_t, uint64_t,
)
from cython_core._wall cimport (
    Wall, wall_left, wall_open, wall_shuffle, wall_take_head, wall_take_tail,
)

# Moves when the order of draws or an outcome can change, never for a speed-up.
SIM_VERSION = 1

# Moves with every change of a signature that mjstats/_core.py relies on.
CORE_API = 9

AIM_LEVELS = LEVELS
WINNERS_KONGS = OF_KONGS

cdef enum:
    # A deal opens fewer listens than this: each needs a discard or a kong of its seat.
    LISTENS_PER_DEAL = 200
    WINS_PER_DEAL = 3

cdef uint64_t ALL_KINDS = (<uint64_t>1 << N_KINDS) - 1

# How a seat's own turn ends.
cdef enum:
    TURN_GOES_ON = 0
    TURN_DISCARDED = 1
    TURN_ROBBED = 2
    TURN_OVER = 3

ctypedef packed struct DealRow:
    int32_t match
    int32_t deal_in_match
    int8_t dealer
    int16_t round
    int8_t outcome
    int8_t by
    int8_t winner
    int8_t discarder
    int8_t n_winners
    int16_t turns
    int16_t tiles_left
    int64_t base_total
    int64_t multiplier
    int64_t pay[N_SEATS]
    int8_t shanten[N_SEATS]
    int8_t bonus[N_SEATS]
    int8_t wilds[N_SEATS]
    int8_t special_kongs[N_SEATS]

ctypedef packed struct WinRow:
    int32_t deal
    int8_t winner
    int8_t by
    int64_t base_total
    int64_t multiplier
    int64_t pay[N_SEATS]


# Tiles


cdef inline int as_played(int wild, int kind) noexcept nogil:
    """Kind as which a tile is played, and back: whites and the wild face change places."""
    if kind == wild:
        return WILD
    return wild if kind == WILD and wild != NO_KIND else kind


cdef uint64_t kinds_as_shown(const Table* table, uint64_t kinds) noexcept nogil:
    """A mask of kinds as they are played, by the faces of the tiles."""
    cdef uint64_t both, moved
    if table.wild == NO_KIND or table.wild == WILD:
        return kinds
    both = <uint64_t>1 << table.wild | <uint64_t>1 << WILD
    moved = kinds & both
    return kinds ^ both if moved and moved != both else kinds


cdef inline void add_tile(Hand* hand, int kind) noexcept nogil:
    if kind == WILD and hand.white:
        hand_add_wild(hand)
    else:
        hand_add(hand, kind)


cdef inline void take(Seat* seat, int kind) noexcept nogil:
    add_tile(&seat.hand, kind)
    if seat.hand.count[kind] == 4 and not (kind == WILD and seat.hand.white):
        seat.quads |= <uint64_t>1 << kind


cdef inline void give(Seat* seat, int kind) noexcept nogil:
    if kind == WILD and seat.hand.white:
        hand_remove_wild(&seat.hand)
        return
    hand_remove(&seat.hand, kind)
    seat.quads &= ~(<uint64_t>1 << kind)


cdef void turn_up(Table* table) noexcept nogil:
    """Find the face of the wild tiles, and what that makes of whites."""
    cdef Stream lot
    cdef int number
    table.wild = NO_KIND
    if table.rules.wild_tiles == 0:
        return
    if table.rules.wild_tiles == 4:
        stream_open(
            &lot, table.key, <uint64_t>table.match, <uint64_t>table.carried.deal_in_match,
            PURPOSE_DICE,
        )
        table.wild = <uint8_t>stream_below(&lot, N_KINDS)
    else:
        table.wild = table.wall.tile[wall_take_head(&table.wall)]
    table.unseen[WILD] = <uint8_t>table.rules.wild_tiles
    for number in range(N_SEATS):
        table.seat[number].hand.white = <uint8_t>(table.wild + 1)


cdef inline bint wall_may_be_drawn(const Table* table, bint tail) noexcept nogil:
    if table.rules.hooks.may_draw != NULL:
        return table.rules.hooks.may_draw(table, tail)
    return wall_left(&table.wall) > table.rules.reserve_tiles


cdef int replace_bonus(Table* table, int number, int tile, int* by) noexcept nogil:
    """Set bonus tiles aside until a playing tile comes: that tile, or -1 when the wall is empty."""
    cdef Seat* seat = &table.seat[number]
    cdef int index, replacement
    while table.rules.bonus >> tile & 1:
        seat.bonus[seat.n_bonus] = <uint8_t>tile
        seat.n_bonus += 1
        if not wall_may_be_drawn(table, True):
            emit(table, EV_FLOWER, number, tile, NO_KIND, NO_SEAT, -1, 1, 0)
            return -1
        index = wall_take_tail(&table.wall)
        replacement = table.wall.tile[index]
        emit(table, EV_FLOWER, number, tile, replacement, NO_SEAT, index, 1, 0)
        tile = replacement
        by[0] = BY_FLOWER_DRAW
    return tile


cdef int draw(Table* table, int number, bint tail, int* by) noexcept nogil:
    """Draw a tile into the hand: its kind, or -1 when the deal is exhausted."""
    cdef int index, tile
    if not wall_may_be_drawn(table, tail):
        return -1
    index = wall_take_tail(&table.wall) if tail else wall_take_head(&table.wall)
    tile = as_played(table.wild, table.wall.tile[index])
    emit(table, EV_DRAW, number, tile, NO_KIND, NO_SEAT, index, tail, 0)
    by[0] = BY_KONG_DRAW if tail else BY_SELF_DRAW
    tile = replace_bonus(table, number, tile, by)
    if tile >= 0:
        take(&table.seat[number], tile)
        if table.rules.hooks.after_draw != NULL:
            table.rules.hooks.after_draw(table, number, by[0])
    return tile


# Ready states


cdef void close_listen(Table* table, Seat* seat, int outcome) noexcept nogil:
    cdef Listen* row
    if seat.listen < 0:
        return
    row = &table.listens[seat.listen]
    row.outcome = <int8_t>outcome
    row.turns_to_outcome = <int16_t>(table.turns - row.turn)
    seat.listen = -1


cdef void open_listen(Table* table, int number) noexcept nogil:
    cdef Seat* seat = &table.seat[number]
    cdef Seat* other
    cdef Listen* row
    cdef uint64_t kinds = seat.waits
    cdef int kind, i, in_wall, live_wall = 0, live_visible = 0
    while kinds:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        live_visible += table.unseen[kind] - seat.hand.count[kind]
        # Neither thrown nor laid open, and in nobody's hand.
        in_wall = table.unseen[kind]
        for i in range(N_SEATS):
            other = &table.seat[i]
            in_wall -= other.hand.count[kind]
        for i in range(N_SEATS):
            in_wall -= face_down_copies(&table.seat[i], kind, table.rules)
        live_wall += in_wall
    seat.listen = table.n_listens
    row = &table.listens[table.n_listens]
    table.n_listens += 1
    row.deal = table.row
    row.seat = <int8_t>number
    row.turn = <int16_t>table.turns
    row.tiles_left = <int16_t>wall_left(&table.wall)
    row.mode = seat.mode
    row.waits = kinds_as_shown(table, seat.waits)
    row.kinds = <int8_t>popcount(seat.waits)
    row.live_wall = <int16_t>live_wall
    row.live_visible = <int16_t>live_visible
    row.wait_class = <int8_t>wait_class(
        table.tables, &seat.hand, table.rules.shapes, seat.waits
    )


cdef uint64_t ready_waits(
    const Table* table, const Seat* seat, int distance
) noexcept nogil:
    """Live waits of a hand between turns. A wild tile completes whatever a further tile can.

    The last of these may be a fifth copy, which no live wait is: hence the second look.
    """
    cdef uint64_t live = 0
    cdef Hand with_wild
    if distance == 0:
        live = waits(table.tables, &seat.hand, table.rules.shapes)
        if live and seat.hand.white:
            live |= <uint64_t>1 << WILD
        return live
    if distance == 1 and seat.hand.white and seat.hand.wilds == 0:
        with_wild = seat.hand
        hand_add_wild(&with_wild)
        if shanten(table.tables, &with_wild, table.rules.shapes) < 0:
            live = <uint64_t>1 << WILD
    return live


cdef int face_down_copies(const Seat* seat, int kind, const Rules* rules) noexcept nogil:
    """Copies in the seat's concealed kongs, where these lie face down."""
    cdef int i
    if not rules.concealed_kong_hidden:
        return 0
    for i in range(seat.hand.melds):
        if seat.meld[i].type == MELD_KONG_CONCEALED and seat.meld[i].kind == kind:
            return 4
    return 0


cdef inline uint64_t counting_waits(
    const Table* table, int number, const Hand* hand, uint64_t live
) noexcept nogil:
    """Of the waits of a hand those that win; a declaration may keep to a part of them."""
    cdef int mode = table.seat[number].mode
    if live and table.rules.hooks.legal_waits != NULL:
        live = table.rules.hooks.legal_waits(table, number, hand, live)
    if mode == 0 or table.rules.hooks.declared_waits == NULL:
        return live
    return table.rules.hooks.declared_waits(table, number, hand, mode, live)


cdef inline uint64_t live_waits(
    const Table* table, int number, const Hand* hand
) noexcept nogil:
    """Waits that count, own copies below four, of a hand between turns."""
    return counting_waits(
        table, number, hand, waits(table.tables, hand, table.rules.shapes)
    )


cdef void settle_hand(
    Table* table, int number, int new_shanten, uint64_t new_waits, bint declared
) noexcept nogil:
    """Note the state that a hand is left in between its turns."""
    cdef Seat* seat = &table.seat[number]
    seat.shanten = <int8_t>new_shanten
    new_waits = counting_waits(table, number, &seat.hand, new_waits)
    if new_waits == seat.waits and not declared:
        return
    if seat.listen >= 0:
        close_listen(table, seat, LISTEN_CHANGED)
    seat.waits = new_waits
    if new_waits:
        open_listen(table, number)


cdef void look_again(Table* table, int number, bint declared) noexcept nogil:
    cdef Seat* seat = &table.seat[number]
    cdef int distance = shanten(table.tables, &seat.hand, table.rules.shapes)
    settle_hand(table, number, distance, ready_waits(table, seat, distance), declared)


cdef void declare(Table* table, int number, int mode, int opening) noexcept nogil:
    cdef Seat* seat = &table.seat[number]
    seat.mode = <uint8_t>mode
    seat.mode_turn = <int16_t>table.turns
    seat.bonus_at_mode = seat.n_bonus
    seat.opening_mode = <uint8_t>opening


# Wins


cdef bint judge(
    Table* table, int number, int by, int tile, int discarder, Win* win, Settlement* settlement
) noexcept nogil:
    """Whether the seat, complete by shape, may win; fills the win and its worth."""
    cdef Hand hand = table.seat[number].hand
    if by == BY_DISCARD or by == BY_ROB_KONG or by == BY_BAO_VIEW:
        hand_add(&hand, tile)
    describe_win(table, number, &hand, by, tile, discarder, win)
    return table.rules.hooks.score(table.rules, table.tables, win, settlement) == LEGAL


cdef void end_with_wins(Table* table) noexcept nogil:
    cdef int i, number
    cdef const Win* first = &table.win[0]
    cdef bint on_discard = first.by == BY_DISCARD or first.by == BY_ROB_KONG
    for i in range(table.n_winners):
        number = table.win[i].winner
        if table.log != NULL:
            table.log.win[i] = table.win[i]
            table.log.settlement[i] = table.settlement[i]
        if first.by == BY_ROB_KONG:
            emit(table, EV_ROB, number, first.tile, 0, first.discarder, -1, 0, 0)
        emit(table, EV_WIN, number, first.tile, i, first.discarder, -1, 0, 0)
        close_listen(
            table, &table.seat[number],
            LISTEN_WON_BY_DISCARD if on_discard else LISTEN_WON_BY_DRAW,
        )
    for number in range(N_SEATS):
        close_listen(
            table, &table.seat[number],
            LISTEN_DEALT_IN if number == first.discarder else LISTEN_ANOTHER_WON,
        )


cdef void end_exhausted(Table* table) noexcept nogil:
    cdef int number
    if table.rules.hooks.exhausted != NULL:
        table.rules.hooks.exhausted(table)
    emit(table, EV_EXHAUSTED, NO_SEAT, NO_KIND, 0, NO_SEAT, wall_left(&table.wall), 0, 0)
    for number in range(N_SEATS):
        close_listen(table, &table.seat[number], LISTEN_EXHAUSTED)


cdef inline bint may_complete(
    const Table* table, int number, int by, int tile
) noexcept nogil:
    """Whether the tile completes the seat's hand, by shape or by a rule of the game."""
    if table.seat[number].waits >> tile & 1:
        return True
    return table.rules.hooks.wins_anyway != NULL and table.rules.hooks.wins_anyway(
        table, number, by, tile
    )


cdef bint others_win(Table* table, int number, int by, int tile) noexcept nogil:
    """Offer a thrown tile or an added kong to the others, nearest first."""
    cdef int i, other
    for i in range(1, N_SEATS):
        other = (number + i) & 3
        if not may_complete(table, other, by, tile):
            continue
        if not judge(
            table, other, by, tile, number, &table.win[table.n_winners],
            &table.settlement[table.n_winners],
        ):
            continue
        if not table.policy[other].win(table, other, by, tile):
            if table.rules.hooks.on_pass != NULL:
                table.rules.hooks.on_pass(table, other, by, tile)
            continue
        table.n_winners += 1
        if not table.rules.multi_ron:
            break
    if table.n_winners:
        end_with_wins(table)
    return table.n_winners > 0


cdef bint wins_by_sight(Table* table, int to_move, int moment) noexcept nogil:
    """A seat may win by what it sees now (bao), the seat to move first."""
    cdef int i, number, seats, tile = NO_KIND
    if table.rules.hooks.sight == NULL:
        return False
    seats = table.rules.hooks.sight(table, to_move, moment, &tile)
    for i in range(N_SEATS if seats else 0):
        number = (to_move + i) & 3
        if not seats >> number & 1:
            continue
        if judge(
            table, number, BY_BAO_VIEW, tile, NO_SEAT, &table.win[0], &table.settlement[0]
        ) and table.policy[number].win(table, number, BY_BAO_VIEW, tile):
            table.n_winners = 1
            end_with_wins(table)
            return True
    return False


# Kongs


cdef Meld* new_meld(
    Table* table, int number, int type_of_meld, const uint8_t* tiles, int n, int source
) noexcept nogil:
    """Lay a meld; its tiles have left the hand."""
    cdef Seat* seat = &table.seat[number]
    cdef Meld* meld = &seat.meld[seat.hand.melds]
    cdef int i
    seat.hand.melds += 1
    meld.type = <uint8_t>type_of_meld
    meld.kind = tiles[0]
    meld.n = <uint8_t>n
    meld.source = <int8_t>source
    for i in range(n):
        meld.tiles[i] = tiles[i]
        hand_lock(&seat.hand, tiles[i])
    return meld


cdef Meld* new_set(
    Table* table, int number, int type_of_meld, int kind, int n, int source
) noexcept nogil:
    """Lay a meld of one kind."""
    cdef uint8_t tiles[4]
    memset(tiles, kind, sizeof(tiles))
    return new_meld(table, number, type_of_meld, tiles, n, source)


cdef bint waits_survive(
    const Table* table, int number, int kind, int n_from_hand, int n_in_meld
) noexcept nogil:
    """Whether a declared hand may make this kong (rule record: kong_after_declaring)."""
    cdef const Seat* seat = &table.seat[number]
    cdef Hand after = seat.hand
    cdef int _i
    cdef uint64_t live
    if table.rules.kong_after_declaring == KONG_NEVER:
        return False
    for _i in range(n_from_hand):
        hand_remove(&after, kind)
    for _i in range(n_in_meld):
        hand_lock(&after, kind)
    if n_in_meld == 4:
        after.melds += 1
    live = live_waits(table, number, &after)
    if table.rules.kong_after_declaring == KONG_SAME_WAITS:
        return live == seat.waits
    return live != 0


cdef uint64_t allowed_kongs(
    const Table* table, int number, uint64_t kinds, int type_of_meld
) noexcept nogil:
    """Strike out the kongs that the game forbids."""
    cdef int kind
    cdef uint64_t left = kinds
    if table.rules.hooks.may_kong == NULL:
        return kinds
    while left:
        kind = lowest_bit(left)
        left &= left - 1
        if not table.rules.hooks.may_kong(table, number, kind, type_of_meld):
            kinds &= ~(<uint64_t>1 << kind)
    return kinds


cdef void find_kongs(const Table* table, int number, Turn* turn) noexcept nogil:
    cdef const Seat* seat = &table.seat[number]
    cdef int i
    cdef const Meld* meld
    turn.concealed = allowed_kongs(table, number, seat.quads, MELD_KONG_CONCEALED)
    turn.added = 0
    if table.rules.allow_added_kong:
        for i in range(seat.hand.melds):
            meld = &seat.meld[i]
            if meld.type == MELD_PONG and seat.hand.count[meld.kind]:
                turn.added |= <uint64_t>1 << meld.kind
        turn.added = allowed_kongs(table, number, turn.added, MELD_KONG_ADDED)
    if seat.mode == 0 or not (turn.concealed | turn.added):
        return
    # A declared hand may only use the tile just drawn.
    turn.concealed &= <uint64_t>1 << turn.tile
    turn.added &= <uint64_t>1 << turn.tile
    if turn.concealed and not waits_survive(table, number, turn.tile, 4, 4):
        turn.concealed = 0
    if turn.added and not waits_survive(table, number, turn.tile, 1, 1):
        turn.added = 0


cdef bint kong_stands(
    Table* table, int number, const Meld* meld, bint supplement
) noexcept nogil:
    """Let the game note a kong and pay for it; whether somebody wins by what it has laid open."""
    cdef int64_t pay[N_SEATS]
    if table.rules.hooks.on_kong != NULL:
        table.rules.hooks.on_kong(table, number, meld)
    if table.rules.hooks.kong_pay != NULL:
        memset(pay, 0, sizeof(pay))
        table.rules.hooks.kong_pay(table.rules, number, meld, supplement, pay)
        if pay[0] or pay[1] or pay[2] or pay[3]:
            note_payment(
                table, EV_KONG_PAYMENT, number, N_MELD_TYPES if supplement else meld.type, pay
            )
    return wins_by_sight(table, number, AFTER_MELD)


cdef int lay_concealed(Table* table, int number, int kind) noexcept nogil:
    cdef Seat* seat = &table.seat[number]
    cdef int _i
    for _i in range(4):
        give(seat, kind)
    if not table.rules.concealed_kong_hidden:
        table.unseen[kind] = 0
    emit(table, EV_KONG, number, kind, MELD_KONG_CONCEALED, NO_SEAT, -1, 0, 0)
    if kong_stands(
        table, number, new_set(table, number, MELD_KONG_CONCEALED, kind, 4, NO_SEAT), False
    ):
        return TURN_OVER
    return TURN_GOES_ON


cdef int add_to_meld(
    Table* table, int number, Meld* meld, int kind, bint supplement
) noexcept nogil:
    cdef Seat* seat = &table.seat[number]
    give(seat, kind)
    hand_lock(&seat.hand, kind)
    table.unseen[kind] -= 1
    meld.tiles[meld.n] = <uint8_t>kind
    meld.n += 1
    return TURN_OVER if kong_stands(table, number, meld, supplement) else TURN_GOES_ON


cdef Meld* meld_of(Seat* seat, int type_of_meld, int kind) noexcept nogil:
    """The seat's meld of a type, of a kind where several may lie."""
    cdef int i
    for i in range(seat.hand.melds):
        if seat.meld[i].type == type_of_meld and kind in (NO_KIND, seat.meld[i].kind):
            return &seat.meld[i]
    return NULL


cdef int lay_added(Table* table, int number, int kind) noexcept nogil:
    """Add the fourth tile to a pong, unless it is robbed."""
    cdef Meld* meld = meld_of(&table.seat[number], MELD_PONG, kind)
    emit(
        table, EV_KONG, number, kind, MELD_KONG_ADDED, NO_SEAT, -1, 0,
        meld.tiles[0] == WILD and kind != WILD,
    )
    if table.rules.rob_added_kong and others_win(table, number, BY_ROB_KONG, kind):
        return TURN_OVER
    meld.type = MELD_KONG_ADDED
    return add_to_meld(table, number, meld, kind, False)


cdef int lay_special(Table* table, int number, const Special* special) noexcept nogil:
    """Show a special kong."""
    cdef Seat* seat = &table.seat[number]
    cdef int i
    cdef uint64_t tiles = 0
    for i in range(special.n):
        give(seat, special.tiles[i])
        table.unseen[special.tiles[i]] -= 1
        tiles |= <uint64_t>special.tiles[i] << (8 * i)
    emit(table, EV_SPECIAL_KONG, number, NO_KIND, special.type, NO_SEAT, special.n, 0, tiles)
    if kong_stands(
        table, number,
        new_meld(table, number, special.type, special.tiles, special.n, NO_SEAT), False,
    ):
        return TURN_OVER
    return TURN_GOES_ON


cdef bint supplement_is_claimed(Table* table, int number, int kind, int other) noexcept nogil:
    """Let a seat take a tile just added to a special kong by a pong, or a kong where allowed."""
    cdef Seat* seat = &table.seat[number]
    cdef Claim claim
    cdef Action action
    claims_of(table, other, kind, False, &claim)
    claim.chows = 0
    if not table.rules.rob_supplement_by_kong:
        claim.kong = 0
    if not (claim.pong | claim.kong) or not ask(table, other, &claim, &action):
        return False
    emit(table, EV_ROB, other, kind, 1 + (action.type == ACT_KONG), number, -1, 0, 0)
    give(seat, kind)
    table.unseen[kind] -= 1
    look_again(table, number, False)
    lay_claim(table, other, kind, number, &action)
    table.robber = other
    return True


cdef int lay_supplement(Table* table, int number, int kind, int type_of_meld) noexcept nogil:
    """Add a tile to a special kong, unless a win or a claim takes it."""
    cdef int i
    emit(table, EV_SUPPLEMENT, number, kind, type_of_meld, NO_SEAT, -1, 0, 0)
    if table.rules.rob_supplement and (
        table.rules.hooks.may_rob == NULL or table.rules.hooks.may_rob(table, number, kind)
    ):
        if others_win(table, number, BY_ROB_KONG, kind):
            return TURN_OVER
        for i in range(1, N_SEATS):
            if supplement_is_claimed(table, number, kind, (number + i) & 3):
                return TURN_OVER if table.n_winners else TURN_ROBBED
    return add_to_meld(
        table, number, meld_of(&table.seat[number], type_of_meld, NO_KIND), kind, True
    )


# A seat's own turn


cdef void throw(
    Table* table, int number, const Action* action, const Turn* turn
) noexcept nogil:
    """Discard, perhaps declaring."""
    cdef Seat* seat = &table.seat[number]
    cdef bint locked = seat.mode != 0
    cdef int opening
    cdef Event* event
    table.thrown = action.kind
    table.discard = action.kind
    table.discard_is_dead = table.wild != NO_KIND and action.kind == WILD
    if table.rules.hooks.on_discard != NULL:
        table.rules.hooks.on_discard(table, number, action.kind, turn.win)
    if action.mode and table.rules.hooks.on_declare != NULL:
        seat.marks = <uint8_t>table.rules.hooks.on_declare(
            table, number, turn, action.kind, action.mode
        )
    table.fed_by = NO_SEAT
    seat.mode_at_discard = seat.mode
    give(seat, action.kind)
    table.unseen[action.kind] -= 1
    if action.mode:
        opening = 2 if seat.n_discards == 0 else 0
        declare(table, number, action.mode, opening)
    seat.n_discards += 1
    if not locked:
        if action.hint and seat.hand.white == 0:
            settle_hand(table, number, action.shanten, action.waits, action.mode != 0)
        else:
            look_again(table, number, action.mode != 0)
    if action.mode:
        event = emit(table, EV_READY, number, NO_KIND, action.mode, NO_SEAT, -1, 0, seat.waits)
        if event != NULL:
            event.marks = seat.marks
    emit(table, EV_DISCARD, number, action.kind, 0, NO_SEAT, -1, 0, 0)


cdef void find_actions(
    Table* table, int number, int by, int tile, bint claimed, bint shown, Turn* turn
) noexcept nogil:
    """What the seat may do in its own turn."""
    cdef Seat* seat = &table.seat[number]
    cdef bint is_complete
    memset(turn, 0, sizeof(Turn))
    turn.by = <uint8_t>by
    turn.tile = <uint8_t>tile
    turn.claimed = claimed
    turn.discards = <uint64_t>1 << tile if seat.mode else ALL_KINDS
    if not claimed:
        if shown:
            # The waits are those of before a special kong was shown.
            is_complete = complete(table.tables, &seat.hand, table.rules.shapes)
        elif by == BY_DEALT:
            is_complete = seat.shanten < 0
        else:
            is_complete = may_complete(table, number, by, tile)
        if is_complete:
            turn.win = judge(
                table, number, by, tile, NO_SEAT, &table.win[0], &table.settlement[0]
            )
        if (
            (seat.quads or seat.hand.melds and table.rules.allow_added_kong)
            and wall_may_be_drawn(table, True)
        ):
            find_kongs(table, number, turn)
    if table.rules.hooks.own_turn != NULL:
        table.rules.hooks.own_turn(table, number, turn)


cdef int own_turn(Table* table, int number, int by, int tile) noexcept nogil:
    """Play a seat's turn up to its discard, to its end by a robbery, or to the end of the deal."""
    cdef Turn turn
    cdef Action action
    cdef Special special[MAX_SPECIALS]
    cdef int replacements, after
    cdef bint claimed = by == BY_CLAIM, shown = False
    table.turns += 1
    table.seat[number].n_turns += 1
    while True:
        find_actions(table, number, by, tile, claimed, shown, &turn)
        table.policy[number].turn(table, number, &turn, &action)
        if action.type == ACT_WIN:
            table.n_winners = 1
            end_with_wins(table)
            return TURN_OVER
        if action.type == ACT_DISCARD:
            throw(table, number, &action, &turn)
            return TURN_DISCARDED
        replacements = 1
        after = TURN_GOES_ON
        table.fed_by = NO_SEAT
        if action.type == ACT_CONCEALED:
            after = lay_concealed(table, number, action.kind)
        elif action.type == ACT_ADDED:
            after = lay_added(table, number, action.kind)
        elif action.type == ACT_SPECIAL:
            table.rules.hooks.specials(table, number, special)
            replacements = special[action.kind].n - 3
            after = lay_special(table, number, &special[action.kind])
        else:
            after = lay_supplement(table, number, action.kind, action.mode)
        if after != TURN_GOES_ON:
            return after
        if replacements == 0:
            shown = True
            continue
        shown = False
        look_again(table, number, False)
        tile = draw(table, number, True, &by)
        if tile < 0:
            end_exhausted(table)
            return TURN_OVER


# Claims


cdef int claims_of(
    const Table* table, int number, int tile, bint may_chow, Claim* claim
) noexcept nogil:
    cdef const Seat* seat = &table.seat[number]
    cdef const uint8_t* count = seat.hand.count
    cdef int i, first, kind
    cdef bint has
    claim.tile = <uint8_t>tile
    claim.pong = 0
    claim.kong = 0
    claim.chows = 0
    if count[tile] >= 2 and table.rules.allow_pong and not seat.mode:
        claim.pong = 1
    if (
        count[tile] == 3 and table.rules.allow_exposed_kong and wall_may_be_drawn(table, True)
        and (not seat.mode or waits_survive(table, number, tile, 3, 4))
    ):
        claim.kong = allowed_kongs(
            table, number, <uint64_t>1 << tile, MELD_KONG_EXPOSED
        ) != 0
    if may_chow and table.rules.allow_chow and tile < 27 and not seat.mode:
        for i in range(3):
            first = tile - 2 + i
            if first < 0 or first // 9 != tile // 9 or (first + 2) // 9 != tile // 9:
                continue
            has = True
            for kind in range(first, first + 3):
                has = has and (kind == tile or count[kind] > 0)
            claim.chows |= <uint8_t>(has << i)
    if table.rules.hooks.may_claim != NULL:
        table.rules.hooks.may_claim(table, number, claim)
    return claim.pong | claim.kong | claim.chows


cdef bint ask(Table* table, int number, const Claim* claim, Action* action) noexcept nogil:
    table.policy[number].claim(table, number, claim, action)
    if action.type == ACT_PASS and table.rules.hooks.on_passed_claim != NULL:
        table.rules.hooks.on_passed_claim(table, number, claim)
    return action.type != ACT_PASS


cdef int find_claim(Table* table, int thrower, int tile, Action* action) noexcept nogil:
    """The seat whose claim stands, or NO_SEAT. A pong or kong goes before a chow."""
    cdef Claim claim
    cdef Action answer
    cdef int i, step, number, chower = N_SEATS
    cdef bint may_chow
    if not (table.rules.allow_pong or table.rules.allow_chow or table.rules.allow_exposed_kong):
        return NO_SEAT
    # Only one seat can hold a pair of the tile, so each may be asked for all at once. The next
    # seat comes last: where it alone may chow, no other is asked after it.
    for step in range(2, N_SEATS + 1):
        i = step if step < N_SEATS else 1
        number = (thrower + i) & 3
        may_chow = i == 1 or table.rules.chow_from_any
        if not claims_of(table, number, tile, may_chow, &claim):
            continue
        if not ask(table, number, &claim, &answer):
            continue
        if answer.type != ACT_CHOW:
            action[0] = answer
            return number
        if i < chower:
            chower = i
            action[0] = answer
    return (thrower + chower) & 3 if chower < N_SEATS else NO_SEAT


cdef bint lay_claim(
    Table* table, int number, int tile, int thrower, const Action* action
) noexcept nogil:
    """Lay a pong, kong or chow; whether somebody wins by what it has laid open."""
    cdef Seat* seat = &table.seat[number]
    cdef Meld* meld
    # A wild tile that is taken for its face shows itself in the meld.
    cdef bint wild = tile == table.discard and table.thrown != tile
    cdef uint8_t run[3]
    cdef int i, _i, own
    if action.type == ACT_CHOW:
        for i in range(3):
            run[i] = <uint8_t>(action.kind + i)
            if run[i] != tile:
                give(seat, run[i])
                table.unseen[run[i]] -= 1
        meld = new_meld(table, number, MELD_CHOW, run, 3, thrower)
        emit(table, EV_CHOW, number, tile, action.kind, thrower, -1, 0, wild)
    else:
        own = 2 if action.type == ACT_PONG else 3
        for _i in range(own):
            give(seat, tile)
        table.unseen[tile] -= own
        if action.type == ACT_PONG:
            meld = new_set(table, number, MELD_PONG, tile, 3, thrower)
            emit(table, EV_PONG, number, tile, 0, thrower, -1, 0, wild)
        else:
            meld = new_set(table, number, MELD_KONG_EXPOSED, tile, 4, thrower)
            emit(table, EV_KONG, number, tile, MELD_KONG_EXPOSED, thrower, -1, 0, wild)
            table.fed_by = thrower
    if wild:
        for i in range(meld.n):
            if meld.tiles[i] == tile:
                meld.tiles[i] = WILD
                break
    if table.rules.hooks.on_claim != NULL:
        table.rules.hooks.on_claim(table, number, meld)
    if action.type == ACT_KONG:
        return kong_stands(table, number, meld, False)
    return wins_by_sight(table, number, AFTER_MELD)


# A deal


cdef int deal_tiles(Table* table) noexcept nogil:
    """Deal, and replace bonus tiles from the dealer round the table: the dealer's 14th tile."""
    cdef int i, k, index, number, tile, by, last = NO_KIND
    cdef Seat* seat
    wall_open(&table.wall, 13 * N_SEATS + 1)
    turn_up(table)
    if table.wild != NO_KIND:
        i = -1 if table.rules.wild_tiles == 4 else 13 * N_SEATS + 1
        emit(table, EV_INDICATOR, NO_SEAT, WILD, 0, NO_SEAT, i, 0, 0)
    for i in range(N_SEATS):
        number = (table.carried.dealer + i) & 3
        seat = &table.seat[number]
        for k in range(13 if i else 14):
            index = 13 * i + k if k < 13 else 13 * N_SEATS
            tile = as_played(table.wild, table.wall.tile[index])
            tile = replace_bonus(table, number, tile, &by)
            take(seat, tile)
            if i == 0:
                last = tile
        table.dealt_bonus[number] = <int8_t>seat.n_bonus
        table.dealt_wilds[number] = <int8_t>seat.hand.wilds
        table.dealt_special_kongs[number] = 0
    if table.rules.hooks.after_deal != NULL:
        table.rules.hooks.after_deal(table)
    for number in range(N_SEATS):
        seat = &table.seat[number]
        seat.shanten = <int8_t>shanten(table.tables, &seat.hand, table.rules.shapes)
        table.dealt_shanten[number] = seat.shanten
        if number != table.carried.dealer:
            seat.waits = counting_waits(
                table, number, &seat.hand, ready_waits(table, seat, seat.shanten)
            )
    return last


cdef void open_deal(Table* table) noexcept nogil:
    """The opening window, and the listens of hands dealt ready."""
    cdef int i, number, modes, mode
    cdef Seat* seat
    for i in range(1, N_SEATS):
        number = (table.carried.dealer + i) & 3
        seat = &table.seat[number]
        if not seat.waits:
            continue
        if table.rules.opening_window and table.rules.hooks.modes != NULL:
            modes = table.rules.hooks.modes(table, number, &seat.hand, seat.waits)
            mode = table.policy[number].opening(table, number, modes) if modes else 0
            if mode:
                declare(table, number, mode, 1)
                emit(table, EV_READY, number, NO_KIND, mode, NO_SEAT, -1, 0, seat.waits)
        open_listen(table, number)


cdef void shuffle_deal(Table* table, Stream* stream) noexcept nogil:
    """Clear the table and shuffle the wall of the deal."""
    cdef int i
    memset(table.seat, 0, sizeof(table.seat))
    memset(table.stream_is_open, 0, sizeof(table.stream_is_open))
    memset(table.game, 0, sizeof(table.game))
    memset(table.tally, 0, sizeof(table.tally))
    memset(table.kong_pay, 0, sizeof(table.kong_pay))
    table.dice_are_open = 0
    table.fed_by = NO_SEAT
    for i in range(N_SEATS):
        table.seat[i].listen = -1
        table.seat[i].shanten = 8
    memset(table.unseen, 4, sizeof(table.unseen))
    table.turns = 0
    table.n_winners = 0
    if table.rules.hooks.dice != NULL:
        table.rules.hooks.dice(table)
    if table.log != NULL:
        table.log.before = table.carried
    if table.rules.hooks.before_deal != NULL:
        table.rules.hooks.before_deal(table)
    stream_open(
        stream, table.key, <uint64_t>table.match, <uint64_t>table.carried.deal_in_match,
        PURPOSE_WALL,
    )
    wall_shuffle(&table.wall, table.rules.wall, table.rules.wall_size, stream)


cdef void lay_hand(
    Table* table, int place, const uint8_t* hand, Stream* stream, uint8_t* dealt
) noexcept nogil:
    """Rearrange a shuffled wall so that the seat ``place`` places from the dealer is dealt a hand.

    Fills ``dealt`` with what the four are dealt, 34 counts each, the dealer first.

    Which places of the wall hold the playing tiles that a seat is dealt depends on where the bonus
    tiles lie and on nothing else, and whatever places the bonus tiles have, all arrangements of
    the playing tiles on the others are equally likely. So the wall given a dealt hand is a uniform
    wall with its bonus tiles left where they are, the hand in any order on the seat's places, and
    the other playing tiles in any order on the rest: what is done here. If the hand itself has the
    law of a dealt hand under some condition on it, the wall has that of a wall under the condition.
    """
    cdef Wall* wall = &table.wall
    cdef uint64_t bonus = table.rules.bonus
    cdef uint8_t owner[MAX_WALL]
    cdef uint8_t tiles[MAX_WALL]
    cdef uint8_t left[N_KINDS]
    cdef Wall own, others
    cdef int seat, k, _copy, index, kind, n = 0, n_own = 0, n_others = 0
    memset(owner, N_SEATS, sizeof(owner))
    wall_open(wall, 13 * N_SEATS + 1)
    for seat in range(N_SEATS):
        for k in range(13 if seat else 14):
            index = 13 * seat + k if k < 13 else 13 * N_SEATS
            while bonus >> wall.tile[index] & 1:
                index = wall_take_tail(wall)
            owner[index] = <uint8_t>seat
    for kind in range(N_KINDS):
        left[kind] = hand[kind]
        for _copy in range(hand[kind]):
            tiles[n] = <uint8_t>kind
            n += 1
    wall_shuffle(&own, tiles, n, stream)
    n = 0
    for index in range(wall.size):
        kind = table.rules.wall[index]
        if bonus >> kind & 1:
            continue
        if left[kind]:
            left[kind] -= 1
        else:
            tiles[n] = <uint8_t>kind
            n += 1
    wall_shuffle(&others, tiles, n, stream)
    memset(dealt, 0, N_SEATS * N_KINDS)
    for index in range(wall.size):
        if owner[index] == place:
            wall.tile[index] = own.tile[n_own]
            n_own += 1
        elif not bonus >> wall.tile[index] & 1:
            wall.tile[index] = others.tile[n_others]
            n_others += 1
        if owner[index] < N_SEATS:
            dealt[owner[index] * N_KINDS + wall.tile[index]] += 1


# Splitting. A deal that comes nearer to a rare event than before, and weighs more than deals so near
# shall, is played on several times, each time with the untouched tiles of the wall in a new order,
# and with its weight shared out. Nobody has seen these tiles, so that given all that has happened
# every order is equally likely: each copy goes on as the deal might have. Their number is drawn,
# and the weight shared by its mean, so that the mean weight of any outcome is its probability.
# (Games that look into the wall, by the hook `sight`, are not split.)


cdef int missing_tiles(const Aim* aim, const Seat* seat) noexcept nogil:
    """Tiles that the hand, melds included, lacks to the counts aimed at."""
    cdef int count[N_KINDS]
    cdef int of_count[5]
    cdef int kind, i, c, got, most = 0, first, n = 9 if aim.one_suit else N_KINDS
    if aim.concealed and seat.hand.melds:
        return aim.tiles
    for kind in range(N_KINDS):
        count[kind] = seat.hand.count[kind]
    for i in range(seat.hand.melds):
        for c in range(seat.meld[i].n):
            count[seat.meld[i].tiles[c]] += 1
    for first in range(0, 27 if aim.one_suit else 1, 9):
        got = 0
        memset(of_count, 0, sizeof(of_count))
        for kind in range(first, first + n):
            got += count[kind]
            of_count[min(count[kind], 4)] += 1
        if aim.kinds:
            got = 0
            c = 4
            for i in range(aim.kinds):
                while c and of_count[c] == 0:
                    c -= 1
                of_count[c] -= 1
                got += min(c, <int>aim.wanted[i])
        most = max(most, got)
    return max(0, aim.tiles - most)


cdef void shuffle_rest(Wall* wall, Stream* stream) noexcept nogil:
    """Put the untouched tiles of the wall into a new order."""
    cdef Wall rest = wall[0]
    cdef Wall shuffled
    cdef int place[MAX_WALL]
    cdef uint8_t tiles[MAX_WALL]
    cdef int i, n = 0
    while wall_left(&rest):
        place[n] = wall_take_head(&rest)
        tiles[n] = rest.tile[place[n]]
        n += 1
    wall_shuffle(&shuffled, tiles, n, stream)
    for i in range(n):
        wall.tile[place[i]] = shuffled.tile[i]


cdef bint split(Table* table, int thrower, int number, int by, int tile) noexcept nogil:
    """Play the deal on in several copies, if the seat that has thrown is nearer than any was."""
    cdef Aim* aim = table.aim
    cdef Table before
    cdef int missing = missing_tiles(aim, &table.seat[thrower])
    cdef int m, _copy, copies
    cdef double mean
    if missing >= table.missing:
        return False
    for m in range(missing, table.missing):
        aim.reached[m] += table.weight
    table.missing = missing
    mean = aim.start * table.weight / aim.target[missing]
    if mean <= 1.0:
        return False
    copies = <int>(mean + stream_next(&aim.stream) / 4294967296.0)
    table.weight /= mean
    before = table[0]
    for _copy in range(copies):
        table[0] = before
        shuffle_rest(&table.wall, &aim.stream)
        play_on(table, number, by, tile)
    return True


cdef int kongs_of(const Seat* seat) noexcept nogil:
    cdef int i, n = 0
    for i in range(seat.hand.melds):
        n += MELD_KONG_EXPOSED <= seat.meld[i].type <= MELD_KONG_CONCEALED
    return n


cdef void note_event(Table* table) noexcept nogil:
    """Add the weight of a deal that is over to the seat whose win is the first with the event."""
    cdef Aim* aim = table.aim
    cdef int k, i
    cdef int64_t value
    cdef bint occurs
    for k in range(table.n_winners):
        occurs = True
        for i in range(aim.conditions):
            if aim.element[i] == OF_KONGS:
                value = kongs_of(&table.seat[table.win[k].winner])
            else:
                value = table.settlement[k].value[aim.element[i]]
            occurs = occurs and aim.least[i] <= value <= aim.most[i]
        if occurs:
            aim.found[(table.win[k].winner - table.carried.dealer) & 3] += table.weight
            return


cdef int show_specials(Table* table, int tile, int* by) noexcept nogil:
    """Special kongs of the dealt hands, round the table; the tile that the dealer has last."""
    cdef Special special[MAX_SPECIALS]
    cdef Turn turn
    cdef Action action
    cdef Seat* seat
    cdef int i, number, drawn, drawn_by
    for i in range(N_SEATS):
        number = (table.carried.dealer + i) & 3
        seat = &table.seat[number]
        while True:
            memset(&turn, 0, sizeof(Turn))
            turn.by = BY_DEALT
            turn.tile = <uint8_t>tile
            turn.specials = <uint8_t>table.rules.hooks.specials(table, number, special)
            if turn.specials == 0:
                break
            table.policy[number].turn(table, number, &turn, &action)
            if action.type == ACT_PASS:
                break
            lay_special(table, number, &special[action.kind])
            if special[action.kind].n > 3:
                drawn = draw(table, number, True, &drawn_by)
                if i == 0:
                    tile = drawn
                    by[0] = drawn_by
        if seat.hand.melds:
            seat.shanten = <int8_t>shanten(table.tables, &seat.hand, table.rules.shapes)
            if i and seat.shanten == 0:
                seat.waits = live_waits(table, number, &seat.hand)
    return tile


cdef void play_last_round(Table* table, int number) noexcept nogil:
    """Every seat draws once more and wins or keeps the tile; then the deal is exhausted."""
    cdef Turn turn
    cdef Action action
    cdef int _i, by, tile
    for _i in range(N_SEATS):
        if not wall_may_be_drawn(table, False):
            break
        if wins_by_sight(table, number, BEFORE_DRAW):
            return
        tile = draw(table, number, False, &by)
        table.turns += 1
        memset(&turn, 0, sizeof(Turn))
        turn.by = <uint8_t>by
        turn.tile = <uint8_t>tile
        turn.win = may_complete(table, number, by, tile) and judge(
            table, number, by, tile, NO_SEAT, &table.win[0], &table.settlement[0]
        )
        if turn.win:
            table.policy[number].turn(table, number, &turn, &action)
            if action.type == ACT_WIN:
                table.n_winners = 1
                end_with_wins(table)
                return
        number = (number + 1) & 3
    end_exhausted(table)


cdef void play_out(Table* table) noexcept nogil:
    """Deal the shuffled wall and play to the end."""
    cdef int by = BY_DEALT
    cdef int tile = deal_tiles(table)
    if table.rules.specials_after_deal:
        tile = show_specials(table, tile, &by)
    open_deal(table)
    play_on(table, table.carried.dealer, by, tile)


cdef void play_on(Table* table, int number, int by, int tile) noexcept nogil:
    """Play to the end from the beginning of a turn."""
    if play_turns(table, number, by, tile) and table.aim != NULL:
        note_event(table)


cdef bint play_turns(Table* table, int number, int by, int tile) noexcept nogil:
    """Play to the end; False if the deal was split, and so has ended several times."""
    cdef int i, turn, thrower = NO_SEAT
    cdef Action action
    cdef const Meld* meld
    while True:
        if thrower >= 0 and table.aim != NULL and split(table, thrower, number, by, tile):
            return False
        turn = own_turn(table, number, by, tile)
        if turn == TURN_OVER:
            return True
        if turn == TURN_ROBBED:
            thrower = NO_SEAT
            number = table.robber
            meld = &table.seat[number].meld[table.seat[number].hand.melds - 1]
            tile = meld.kind
            action.type = ACT_PONG if meld.type == MELD_PONG else ACT_KONG
        else:
            i = NO_SEAT
            if not table.discard_is_dead and others_win(
                table, number, BY_DISCARD, table.discard
            ):
                return True
            if wins_by_sight(table, (number + 1) & 3, AFTER_DISCARD):
                return True
            if not table.discard_is_dead:
                i = find_claim(table, number, table.discard, &action)
            thrower = number
            if i == NO_SEAT:
                number = (number + 1) & 3
                if table.rules.hooks.last_round != NULL and table.rules.hooks.last_round(table):
                    play_last_round(table, number)
                    return True
                if wall_may_be_drawn(table, False) and wins_by_sight(table, number, BEFORE_DRAW):
                    return True
                tile = draw(table, number, False, &by)
                if tile < 0:
                    end_exhausted(table)
                    return True
                continue
            if lay_claim(table, i, table.discard, number, &action):
                return True
            number = i
            tile = table.discard
        by = BY_CLAIM
        if action.type == ACT_KONG:
            look_again(table, number, False)
            if wins_by_sight(table, number, BEFORE_DRAW):
                return True
            tile = draw(table, number, True, &by)
            if tile < 0:
                end_exhausted(table)
                return True


cdef void play_deal(Table* table) noexcept nogil:
    cdef Stream stream
    shuffle_deal(table, &stream)
    play_out(table)


# A match


cdef void start_match(Table* table, int64_t match) noexcept nogil:
    cdef Stream stream
    memset(&table.carried, 0, sizeof(Carried))
    table.match = match
    table.carried.round = 1
    if table.rules.first_dealer_drawn:
        stream_open(&stream, table.key, <uint64_t>match, 0, PURPOSE_MATCH)
        table.carried.first_dealer = <int32_t>stream_below(&stream, N_SEATS)
    table.carried.dealer = table.carried.first_dealer


cdef void next_deal(const Rules* rules, const Outcome* outcome, Carried* carried) noexcept nogil:
    """Carry the counters, pass the deal on, count rounds."""
    cdef int i
    cdef bint stays = outcome.n_winners == 0 and rules.dealer_stays_on_draw
    cdef Carried before = carried[0]
    for i in range(outcome.n_winners):
        stays = stays or outcome.winner[i] == carried.dealer
    if not stays:
        carried.dealer = (carried.dealer + 1) & 3
        if carried.dealer == carried.first_dealer:
            carried.round += 1
    carried.deal_in_match += 1
    if rules.hooks.carry != NULL:
        rules.hooks.carry(rules, outcome, &before, carried)
    if rules.deals_per_match:
        carried.over = carried.deal_in_match >= rules.deals_per_match
    else:
        carried.over = carried.round > rules.rounds_per_match


cdef void carry_on(Table* table) noexcept nogil:
    cdef Outcome outcome
    cdef int i
    memset(&outcome, 0, sizeof(Outcome))
    outcome.n_winners = table.n_winners
    outcome.discarder = table.win[0].discarder if table.n_winners else NO_SEAT
    for i in range(table.n_winners):
        outcome.winner[i] = table.win[i].winner
    outcome.multiplier = table.settlement[0].multiplier if table.n_winners else 0
    next_deal(table.rules, &outcome, &table.carried)


cdef void write_deal(
    const Table* table, DealRow* row, int64_t* counters, int32_t* elements
) noexcept nogil:
    """The row of a deal just played; the carried state is still that before the deal."""
    cdef int i, k
    cdef const Settlement* first = &table.settlement[0]
    memset(row, 0, sizeof(DealRow))
    row.match = <int32_t>table.match
    row.deal_in_match = table.carried.deal_in_match
    row.dealer = <int8_t>table.carried.dealer
    row.round = <int16_t>table.carried.round
    row.turns = <int16_t>table.turns
    row.tiles_left = <int16_t>wall_left(&table.wall)
    row.shanten = table.dealt_shanten
    row.bonus = table.dealt_bonus
    row.wilds = table.dealt_wilds
    row.special_kongs = table.dealt_special_kongs
    row.by = -1
    row.winner = NO_SEAT
    row.discarder = NO_SEAT
    row.n_winners = <int8_t>table.n_winners
    row.pay = table.kong_pay
    for i in range(table.rules.n_counters):
        counters[i] = table.carried.counter[i]
    if table.n_winners == 0:
        memset(elements, 0, table.rules.n_elements * sizeof(int32_t))
        return
    row.outcome = 1
    row.by = <int8_t>table.win[0].by
    row.winner = table.win[0].winner
    row.discarder = table.win[0].discarder
    row.base_total = first.base_total
    row.multiplier = first.multiplier
    for k in range(table.n_winners):
        for i in range(N_SEATS):
            row.pay[i] += table.settlement[k].pay[i]
    write_elements(table.rules, first, elements)


cdef void write_elements(
    const Rules* rules, const Settlement* settlement, int32_t* elements
) noexcept nogil:
    """The winner's elements and factors, and with them what single payers owe besides."""
    cdef int i, payer
    cdef int64_t value
    for i in range(rules.n_elements):
        value = settlement.value[i]
        if rules.has_payer_elements:
            for payer in range(N_SEATS):
                value += settlement.payer_value[payer][i]
        elements[i] = <int32_t>value


cdef void write_extra_win(
    const Table* table, int k, WinRow* row, int32_t* elements
) noexcept nogil:
    cdef const Settlement* settlement = &table.settlement[k]
    row.deal = table.row
    row.winner = table.win[k].winner
    row.by = <int8_t>table.win[k].by
    row.base_total = settlement.base_total
    row.multiplier = settlement.multiplier
    row.pay = settlement.pay
    write_elements(table.rules, settlement, elements)


cdef class Player:
    """Plays matches one after another into the caller's arrays.

    Parameters
    ----------
    record : RuleRecord
    policies : sequence of 4 of (int, int, sequence of int)
        Position in ``POLICIES``, mode that the seat would declare (0 the first) and the bids that
        it would make, one a seat.
    key : pair of int
        The run's key, 2 x 64 bits.
    first_match : int
        Match to begin with.
    """

    cdef RuleRecord record
    cdef Table table

    def __init__(self, RuleRecord record, policies, key, first_match):
        cdef int i
        self.record = record
        memset(&self.table, 0, sizeof(Table))
        self.table.rules = &record.rules
        self.table.tables = tables(record.rules.tile_set)
        for i in range(N_SEATS):
            self.table.policy[i] = policy_of(policies[i][0])
            self.table.wish[i] = policies[i][1]
            for bid, amount in enumerate(policies[i][2][:MAX_BIDS]):
                self.table.bid_wish[i][<int>bid] = amount
        self.table.key.word[0] = key[0]
        self.table.key.word[1] = key[1]
        start_match(&self.table, first_match)

    def play(
        self, int64_t stop_match, uint8_t[::1] deals, int64_t[:, ::1] counters,
        int32_t[:, ::1] elements, uint8_t[::1] listens, uint8_t[::1] wins,
        int32_t[:, ::1] win_elements,
    ):
        """Play until ``stop_match`` begins or an array is nearly full.

        Parameters
        ----------
        stop_match : int
            First match not to be played.
        deals, listens, wins : uint8 views
            Room for packed deal, listen and further-winner rows.
        counters, elements, win_elements : int64 and int32, one row a deal (a further winner)

        Returns
        -------
        n_deals, n_listens, n_wins, done : int, int, int, bool
            Rows written, and whether ``stop_match`` has been reached.
        """
        cdef int most_deals = min(deals.shape[0] // sizeof(DealRow), counters.shape[0])
        cdef int most_listens = listens.shape[0] // sizeof(Listen)
        cdef int most_wins = min(wins.shape[0] // sizeof(WinRow), win_elements.shape[0])
        cdef Table* table = &self.table
        cdef int n = 0, n_wins = 0, k
        if most_listens < LISTENS_PER_DEAL or most_wins < WINS_PER_DEAL or most_deals < 1:
            raise ValueError("arrays too small for one deal")
        table.listens = <Listen*>&listens[0]
        table.n_listens = 0
        with nogil:
            while (
                table.match < stop_match and n < most_deals
                and table.n_listens <= most_listens - LISTENS_PER_DEAL
                and n_wins <= most_wins - WINS_PER_DEAL
            ):
                table.row = n
                play_deal(table)
                write_deal(
                    table, <DealRow*>&deals[n * <int>sizeof(DealRow)], counter_row(counters, n),
                    &elements[n, 0],
                )
                for k in range(1, table.n_winners):
                    write_extra_win(
                        table, k, <WinRow*>&wins[n_wins * <int>sizeof(WinRow)],
                        &win_elements[n_wins, 0],
                    )
                    n_wins += 1
                n += 1
                carry_on(table)
                if table.carried.over:
                    start_match(table, table.match + 1)
        return n, table.n_listens, n_wins, table.match >= stop_match

    def play_given(
        self, const uint8_t[:, ::1] hands, int place, uint8_t[:, :, ::1] dealt,
        double[:, ::1] found, double[::1] reached, *, conditions, wanted, one_suit, concealed,
        start, target,
    ):
        """Play the first deal of consecutive matches, one seat being dealt a given hand in each.

        Parameters
        ----------
        hands : uint8, shape (n, 34)
            Playing tiles that the seat is dealt, after replacement: 13, the dealer 14.
        place : int
            Places of that seat from the dealer, 0-3.
        dealt : uint8, shape (n, 4, 34)
            Filled with the playing tiles that each seat is dealt, the dealer first.
        found : float64, shape (n, 4)
            Filled with the weight of the event in each deal, by place of the winner.
        reached : float64, shape (LEVELS,)
            What is added is the weight of the deals in which so few tiles were missing.
        conditions : sequence of (int, int, int), at most 8
            Element (-1: the winner's kongs), its least and its greatest value, of one win.
        wanted : sequence of int
            Copies of the kinds aimed at, most first; none: only one suit.
        one_suit : bool
            Whether they are of one suit.
        concealed : bool
            Whether none of them may be melded.
        start : float
            What each deal weighs, a plain one 1.
        target : sequence of LEVELS float, above 0
            What a copy shall weigh when so few tiles are missing for the first time; a deal is
            split if it weighs more.
        """
        cdef Table* table = &self.table
        cdef Aim aim
        cdef Stream stream
        cdef Listen[LISTENS_PER_DEAL] listens
        cdef int row, i
        if not hands.shape[0] <= min(dealt.shape[0], found.shape[0]) or reached.shape[0] < LEVELS:
            raise ValueError("arrays too small for the deals")
        memset(&aim, 0, sizeof(Aim))
        for i, n in enumerate(wanted):
            aim.wanted[i] = n
        aim.kinds = len(wanted)
        aim.tiles = max(14, sum(wanted))
        aim.one_suit = one_suit
        aim.concealed = concealed
        aim.start = start
        for i in range(LEVELS):
            aim.target[i] = target[i]
        for i, (element, least, most) in enumerate(conditions):
            aim.element[i], aim.least[i], aim.most[i] = element, least, most
        aim.conditions = len(conditions)
        table.listens = listens
        table.aim = &aim
        with nogil:
            for row in range(hands.shape[0]):
                table.row = 0
                table.n_listens = 0
                table.missing = LEVELS
                table.weight = 1.0
                memset(aim.found, 0, sizeof(aim.found))
                stream_open(&aim.stream, table.key, <uint64_t>table.match, 0, PURPOSE_SPLIT)
                shuffle_deal(table, &stream)
                lay_hand(table, place, &hands[row, 0], &stream, &dealt[row, 0, 0])
                play_out(table)
                for i in range(N_SEATS):
                    found[row, i] = aim.found[i]
                start_match(table, table.match + 1)
            for i in range(LEVELS):
                reached[i] += aim.reached[i]
        table.aim = NULL

    def log(self, int64_t deal_in_match, uint8_t[::1] listens):
        """Play on within the match to one deal and return what happened in it.

        Parameters
        ----------
        deal_in_match : int
            Index of the deal within the match.
        listens : uint8 view
            Scratch room for packed listen rows.

        Returns
        -------
        dict or None
            Raw events, wins, wall and carried state before and after; None when the match is
            over before that deal.
        """
        cdef Log log
        cdef Table* table = &self.table
        cdef int64_t match = table.match
        table.listens = <Listen*>&listens[0]
        while table.carried.deal_in_match < deal_in_match and not table.carried.over:
            table.n_listens = 0
            play_deal(table)
            carry_on(table)
        if table.carried.over:
            return None
        memset(&log, 0, sizeof(Log))
        table.log = &log
        table.n_listens = 0
        play_deal(table)
        table.log = NULL
        if log.overflow:
            raise RuntimeError(
                f"match {match}, deal {deal_in_match}: more than {MAX_EVENTS} events"
            )
        carry_on(table)
        return {
            "before": carried_dict(&log.before, table.rules),
            "after": carried_dict(&table.carried, table.rules),
            "wall": bytes(table.wall.tile[: table.wall.size]),
            "wild": None if table.wild == NO_KIND else table.wild,
            "events": [log.event[i] for i in range(log.n)],
            "kong_pay": [table.kong_pay[i] for i in range(N_SEATS)],
            "wins": [
                win_dict(&log.win[i], &log.settlement[i], table.rules)
                for i in range(table.n_winners)
            ],
        }


cdef inline int64_t* counter_row(int64_t[:, ::1] counters, int row) noexcept nogil:
    # A game without counters has rows of no width.
    return &counters[row, 0] if counters.shape[1] else NULL


cdef dict carried_dict(const Carried* carried, const Rules* rules):
    return {
        "dealer": carried.dealer,
        "round": carried.round,
        "deal_in_match": carried.deal_in_match,
        "over": bool(carried.over),
        "counters": [carried.counter[i] for i in range(rules.n_counters)],
    }


cdef dict settlement_dict(const Settlement* settlement, const Rules* rules):
    told = {
        "values": [settlement.value[i] for i in range(rules.n_elements)],
        "base_total": settlement.base_total,
        "multiplier": settlement.multiplier,
        "payments": [settlement.pay[i] for i in range(N_SEATS)],
    }
    payers = [i for i in range(N_SEATS) if settlement.payers >> i & 1]
    if rules.has_fans:
        told["fan"] = settlement.fan
    if rules.has_payer_fans:
        told["payer_fans"] = {i: settlement.payer_fan[<int>i] for i in payers}
    if rules.has_payer_elements:
        told["payer_values"] = {
            i: [settlement.payer_value[<int>i][k] for k in range(rules.n_elements)] for i in payers
        }
    return told


cdef dict win_dict(const Win* win, const Settlement* settlement, const Rules* rules):
    cdef int kind
    hand = [kind for kind in range(N_KINDS) for _ in range(win.hand.count[kind])]
    # The last dealt tile may lie in a special kong.
    if win.tile in hand:
        hand.remove(win.tile)
    return {
        "winner": win.winner,
        "discarder": win.discarder,
        "by": win.by,
        "tile": win.shown,
        "hand": hand,
        "melds": [
            (win.meld[i].type, bytes(win.meld[i].tiles[: win.meld[i].n]), win.meld[i].source)
            for i in range(win.hand.melds)
        ],
        "flowers": bytes(win.bonus[: win.n_bonus]),
        "settlement": settlement_dict(settlement, rules),
    }


def score_win(
    RuleRecord record, *, winner, discarder, dealer, by, tile, hand, melds, bonus, context,
    wild,
):
    """Legality and worth of one win.

    Parameters
    ----------
    record : RuleRecord
    winner, discarder, dealer : int
        Seats; ``discarder`` -1 when nobody threw the tile.
    by, tile : int
        How the win came about and the winning kind.
    hand : sequence of int
        Concealed kinds with the winning tile.
    melds : sequence of (type, kinds)
    bonus : sequence of int
        Bonus kinds held, at most 36.
    context : dict of int to int
        Places of the game's context and their values.
    wild : int
        Face of the wild tiles, 255 without.

    Returns
    -------
    reason : int
        0 when legal.
    settlement : dict
    """
    cdef Win win
    cdef Settlement settlement
    cdef const Tables* hand_tables = tables(record.rules.tile_set)
    cdef int i, kind
    memset(&win, 0, sizeof(Win))
    memset(&settlement, 0, sizeof(Settlement))
    win.winner = winner
    win.discarder = discarder
    win.dealer = dealer
    win.by = by
    win.wild = wild
    win.tile = as_played(wild, tile)
    win.shown = win.tile
    if wild != NO_KIND:
        win.hand.white = wild + 1
    for kind in hand:
        add_tile(&win.hand, as_played(wild, kind))
    for i, (type_of_meld, kinds) in enumerate(melds):
        win.meld[i].type = type_of_meld
        # A wild tile in a meld was claimed for its face.
        kinds = [wild if kind == WILD and wild != NO_KIND else kind for kind in kinds]
        win.meld[i].kind = min(kinds)
        win.meld[i].n = len(kinds)
        for k, kind in enumerate(kinds):
            win.meld[i].tiles[k] = kind
            hand_lock(&win.hand, kind)
        win.hand.melds += 1
    for i, kind in enumerate(bonus):
        win.bonus[i] = kind
    win.n_bonus = len(bonus)
    for place, value in context.items():
        win.context[<int>place] = value
    reason = record.rules.hooks.score(&record.rules, hand_tables, &win, &settlement)
    return reason, settlement_dict(&settlement, &record.rules)


def kong_payment(RuleRecord record, *, seat, source, meld_type, kind, supplement):
    """What a kong earns at once, or None in a game that pays none.

    Parameters
    ----------
    record : RuleRecord
    seat, source : int
        Who makes it, and who fed it (-1 nobody).
    meld_type, kind : int
        Of the kong, or of the special kong and the kind that is added to it.
    supplement : bool

    Returns
    -------
    list of 4 int or None
    """
    cdef Meld meld
    cdef int64_t pay[N_SEATS]
    if record.rules.hooks.kong_pay == NULL:
        return None
    memset(&meld, 0, sizeof(Meld))
    memset(pay, 0, sizeof(pay))
    meld.type = meld_type
    meld.kind = kind
    meld.source = source
    record.rules.hooks.kong_pay(&record.rules, seat, &meld, supplement, pay)
    return [pay[i] for i in range(N_SEATS)]


def next_state(
    RuleRecord record, *, dealer, first_dealer, round_, counters, winners, multiplier, discarder,
    dice,
):
    """Carried state after a deal.

    Parameters
    ----------
    record : RuleRecord
    dealer, first_dealer, round_ : int
        Before the deal.
    counters, winners : sequence of int
        The game's counters before the deal; winning seats, none for an exhausted deal.
    multiplier : int
        Of the first win.
    discarder : int
        Who threw the tile that was won, or was robbed; -1 nobody.
    dice : pair of int
        Those of the next deal, 0 where they are not known.

    Returns
    -------
    dict
        ``dealer``, ``round``, ``over``, ``counters``.
    """
    cdef Carried carried
    cdef Outcome outcome
    memset(&carried, 0, sizeof(Carried))
    carried.dealer = dealer
    carried.first_dealer = first_dealer
    carried.round = round_
    for i, value in enumerate(counters):
        carried.counter[<int>i] = value
    outcome.n_winners = len(winners)
    outcome.discarder = discarder
    outcome.dice[0] = dice[0]
    outcome.dice[1] = dice[1]
    for i, seat in enumerate(winners):
        outcome.winner[<int>i] = seat
    outcome.multiplier = multiplier
    next_deal(&record.rules, &outcome, &carried)
    return carried_dict(&carried, &record.rules)


def shuffled_wall(RuleRecord record, key, uint64_t match, uint64_t deal_in_match):
    """Wall of one deal as bytes of kinds, index 0 dealt first."""
    cdef Wall wall
    cdef Stream stream
    cdef Key run_key
    run_key.word[0] = key[0]
    run_key.word[1] = key[1]
    stream_open(&stream, run_key, match, deal_in_match, PURPOSE_WALL)
    wall_shuffle(&wall, record.rules.wall, record.rules.wall_size, &stream)
    return bytes(wall.tile[: wall.size])


def shuffled_walls(RuleRecord record, key, uint64_t first_match, uint8_t[:, ::1] out):
    """Fill rows with the first walls of consecutive matches."""
    cdef Wall wall
    cdef Stream stream
    cdef Key run_key
    cdef Py_ssize_t row, i
    if out.shape[1] != record.rules.wall_size:
        raise ValueError(f"rows of {record.rules.wall_size} tiles needed, got {out.shape[1]}")
    run_key.word[0] = key[0]
    run_key.word[1] = key[1]
    with nogil:
        for row in range(out.shape[0]):
            stream_open(&stream, run_key, first_match + <uint64_t>row, 0, PURPOSE_WALL)
            wall_shuffle(&wall, record.rules.wall, record.rules.wall_size, &stream)
            for i in range(wall.size):
                out[row, i] = wall.tile[i]


def stream_words(key, uint64_t match, uint64_t deal, uint64_t purpose, int n):
    """First ``n`` 32-bit numbers of a stream, for comparison with numpy."""
    cdef Stream stream
    cdef Key run_key
    run_key.word[0] = key[0]
    run_key.word[1] = key[1]
    stream_open(&stream, run_key, match, deal, purpose)
    return [stream_next(&stream) for _ in range(n)]


def bounded_numbers(key, uint64_t purpose, uint32_t bound, int n):
    """First ``n`` unbiased numbers below ``bound`` of a stream."""
    cdef Stream stream
    cdef Key run_key
    run_key.word[0] = key[0]
    run_key.word[1] = key[1]
    stream_open(&stream, run_key, 0, 0, purpose)
    return [stream_below(&stream, bound) for _ in range(n)]
