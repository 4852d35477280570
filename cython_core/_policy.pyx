"""The policies ``random`` and ``greedy``.

A policy sees the table, but reads only what its seat may see: its own hand, melds, discards and
declarations (``Table.unseen``), never another's tiles nor the wall.
"""

from cython_core._bits cimport lowest_bit
from cython_core._hand cimport (
    Choice, Hand, accepts, best_discard, hand_lock, hand_remove, shanten, waits,
)
from cython_core._rules cimport (
    ACT_ADDED, ACT_CHOW, ACT_CONCEALED, ACT_DISCARD, ACT_KONG, ACT_PASS, ACT_PONG, ACT_SPECIAL,
    ACT_SUPPLEMENT, ACT_WIN, MAX_MELD_TILES, Action, Claim, Policy, Seat, Table, Turn,
)
from cython_core._stream cimport PURPOSE_SEAT, Stream, stream_below, stream_open
from cython_core._types cimport (
    MELD_XI, MELD_XUAN_FENG, MELD_YAO, N_KINDS, int64_t, uint8_t, uint64_t,
)

POLICIES = ("random", "greedy")

cdef uint64_t ALL_KINDS = (<uint64_t>1 << N_KINDS) - 1


cdef int take_win(Table* table, int seat, int by, int tile) noexcept nogil:
    return 1


cdef int legal_modes(const Table* table, int seat, const Hand* hand, uint64_t live) noexcept nogil:
    """Modes that the seat may declare with this ready hand, as bits."""
    if live == 0 or table.seat[seat].mode or table.rules.hooks.modes == NULL:
        return 0
    return table.rules.hooks.modes(table, seat, hand, live)


cdef int special_of(const Seat* me, int kind) noexcept nogil:
    """The special kong on the table that a tile belongs to."""
    cdef int i
    for i in range(me.hand.melds):
        if me.meld[i].type >= MELD_XUAN_FENG and same_class(me.meld[i].type, kind):
            return me.meld[i].type
    return 0


cdef bint same_class(int special, int kind) noexcept nogil:
    if special == MELD_XUAN_FENG:
        return 27 <= kind < 31
    if special == MELD_XI:
        return kind >= 31
    return kind < 27 and kind % 9 == (0 if special == MELD_YAO else 8)


# random: one flat list of distinct actions, uniform; wins are always taken


cdef int any_of(Table* table, int seat, int n) noexcept nogil:
    cdef Stream* stream = &table.policy_stream[seat]
    if not table.stream_is_open[seat]:
        stream_open(
            stream, table.key, <uint64_t>table.match, <uint64_t>table.carried.deal_in_match,
            <uint64_t>(PURPOSE_SEAT + seat),
        )
        table.stream_is_open[seat] = 1
    return <int>stream_below(stream, <unsigned int>n)


cdef inline void add(
    Action* actions, int* n, int kind_of_action, int kind, int mode
) noexcept nogil:
    actions[n[0]].type = <uint8_t>kind_of_action
    actions[n[0]].kind = <uint8_t>kind
    actions[n[0]].mode = <uint8_t>mode
    actions[n[0]].hint = 0
    n[0] += 1


cdef void random_turn(Table* table, int seat, const Turn* turn, Action* action) noexcept nogil:
    # 14 kinds at the most, each with up to 3 declarations and none, and the kongs.
    cdef Action actions[80]
    cdef int n = 0, kind, mode, modes
    cdef const Seat* me = &table.seat[seat]
    cdef Hand after
    if turn.win:
        action.type = ACT_WIN
        return
    for kind in range(N_KINDS):
        if turn.concealed >> kind & 1:
            add(actions, &n, ACT_CONCEALED, kind, 0)
        if turn.added >> kind & 1:
            add(actions, &n, ACT_ADDED, kind, 0)
        if me.hand.count[kind] and turn.discards >> kind & 1:
            add(actions, &n, ACT_DISCARD, kind, 0)
            if me.mode or table.rules.hooks.modes == NULL:
                continue
            after = me.hand
            hand_remove(&after, kind)
            modes = legal_modes(
                table, seat, &after, waits(table.tables, &after, table.rules.shapes)
            )
            for mode in range(1, table.rules.n_modes + 1):
                if modes >> mode & 1:
                    add(actions, &n, ACT_DISCARD, kind, mode)
        if turn.supplements >> kind & 1:
            add(actions, &n, ACT_SUPPLEMENT, kind, special_of(me, kind))
    for kind in range(4):
        if turn.specials >> kind & 1:
            add(actions, &n, ACT_SPECIAL, MELD_XUAN_FENG + kind, 0)
    action[0] = actions[any_of(table, seat, n)]


cdef void random_claim(Table* table, int seat, const Claim* claim, Action* action) noexcept nogil:
    cdef Action actions[6]
    cdef int n = 0, i
    add(actions, &n, ACT_PASS, claim.tile, 0)
    if claim.pong:
        add(actions, &n, ACT_PONG, claim.tile, 0)
    if claim.kong:
        add(actions, &n, ACT_KONG, claim.tile, 0)
    for i in range(3):
        if claim.chows >> i & 1:
            add(actions, &n, ACT_CHOW, claim.tile - 2 + i, 0)
    action[0] = actions[any_of(table, seat, n)]


cdef int64_t random_bid(
    Table* table, int seat, int bid, const int64_t* amounts, int n
) noexcept nogil:
    return amounts[any_of(table, seat, n)]


cdef int random_opening(Table* table, int seat, int modes) noexcept nogil:
    cdef int choice[8]
    cdef int n = 1, mode
    choice[0] = 0
    for mode in range(1, table.rules.n_modes + 1):
        if modes >> mode & 1:
            choice[n] = mode
            n += 1
    return choice[any_of(table, seat, n)]


# greedy: lowest shanten, then most live acceptance, then the lowest tile kind


cdef int live_copies(const Table* table, const Hand* hand, uint64_t kinds) noexcept nogil:
    cdef int kind, n = 0
    while kinds:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        n += table.unseen[kind] - hand.count[kind]
    return n


cdef void measure(const Table* table, const Hand* hand, Choice* out) noexcept nogil:
    """Shanten and live acceptance of a hand between its turns."""
    out.shanten = <signed char>shanten(table.tables, hand, table.rules.shapes)
    out.accepts = accepts(table.tables, hand, table.rules.shapes, out.shanten)
    out.live = live_copies(table, hand, out.accepts)


cdef inline bint no_worse(const Choice* after, const Choice* before) noexcept nogil:
    """The condition for a kong: shanten does not rise, acceptance does not fall."""
    return after.shanten < before.shanten or (
        after.shanten == before.shanten and after.live >= before.live
    )


cdef void lay_down(Hand* hand, int kind, int n_from_hand, int n_in_meld) noexcept nogil:
    cdef int _i
    for _i in range(n_from_hand):
        hand_remove(hand, kind)
    for _i in range(n_in_meld):
        hand_lock(hand, kind)


cdef int wished_mode(const Table* table, int seat, int modes) noexcept nogil:
    if modes >> table.wish[seat] & 1:
        return table.wish[seat]
    return lowest_bit(modes)


cdef bint greedy_special(
    const Table* table, int seat, const Turn* turn, const Choice* best, Action* action
) noexcept nogil:
    """A special kong or a supplement, under the condition of every kong."""
    cdef const Seat* me = &table.seat[seat]
    cdef int kind, special, i, n
    cdef uint8_t tiles[MAX_MELD_TILES]
    cdef Hand after
    cdef Choice choice
    for special in range(4):
        if not turn.specials >> special & 1:
            continue
        n = table.rules.hooks.special(table, seat, MELD_XUAN_FENG + special, tiles)
        after = me.hand
        for i in range(n):
            lay_down(&after, tiles[i], 1, 1)
        after.melds += 1
        # Three tiles shown leave a hand in turn, four a hand between turns.
        if n == 3:
            best_discard(
                table.tables, &after, table.rules.shapes, ALL_KINDS, table.unseen, &choice
            )
        else:
            measure(table, &after, &choice)
        if no_worse(&choice, best):
            action.type = ACT_SPECIAL
            action.kind = <uint8_t>(MELD_XUAN_FENG + special)
            return True
    for kind in range(N_KINDS):
        if not turn.supplements >> kind & 1:
            continue
        after = me.hand
        lay_down(&after, kind, 1, 1)
        measure(table, &after, &choice)
        if no_worse(&choice, best):
            action.type = ACT_SUPPLEMENT
            action.kind = <uint8_t>kind
            action.mode = <uint8_t>special_of(me, kind)
            return True
    return False


cdef bint greedy_kong(
    const Table* table, const Seat* me, const Turn* turn, uint64_t unwanted, const Choice* best,
    Action* action,
) noexcept nogil:
    cdef int kind
    cdef Hand after
    cdef Choice choice
    for kind in range(N_KINDS):
        if not ((turn.concealed | turn.added) & ~unwanted) >> kind & 1:
            continue
        after = me.hand
        if turn.concealed >> kind & 1:
            lay_down(&after, kind, 4, 4)
            after.melds += 1
            action.type = ACT_CONCEALED
        else:
            lay_down(&after, kind, 1, 1)
            action.type = ACT_ADDED
        measure(table, &after, &choice)
        if no_worse(&choice, best):
            action.kind = <uint8_t>kind
            return True
    return False


cdef uint64_t unwanted_kinds(const Table* table, int seat) noexcept nogil:
    """Kinds that the seat has bound itself to be rid of."""
    if table.seat[seat].mode or table.rules.hooks.unwanted == NULL:
        return 0
    return table.rules.hooks.unwanted(table, seat)


cdef int declarable(
    const Table* table, int seat, uint64_t allowed, Choice* best
) noexcept nogil:
    """Modes open after the best discard; where none is, after the best of those that open one."""
    cdef const Seat* me = &table.seat[seat]
    cdef Hand after = me.hand
    cdef uint64_t live
    cdef int kind, here, copies, modes = 0
    hand_remove(&after, best.kind)
    here = legal_modes(table, seat, &after, best.accepts)
    if here or me.mode:
        return here
    for kind in range(N_KINDS):
        if not (me.hand.count[kind] and allowed >> kind & 1):
            continue
        after = me.hand
        hand_remove(&after, kind)
        live = waits(table.tables, &after, table.rules.shapes)
        here = legal_modes(table, seat, &after, live)
        if here == 0:
            continue
        copies = live_copies(table, &after, live)
        if modes == 0 or copies > best.live:
            modes = here
            best.kind = <uint8_t>kind
            best.accepts = live
            best.live = copies
    return modes


cdef void greedy_turn(Table* table, int seat, const Turn* turn, Action* action) noexcept nogil:
    cdef const Seat* me = &table.seat[seat]
    cdef Choice best
    cdef uint64_t unwanted, allowed
    cdef int modes, kind
    action.mode = 0
    action.hint = 0
    if turn.win:
        action.type = ACT_WIN
        return
    if me.mode and not (turn.concealed | turn.added | turn.supplements):
        # A locked hand has nothing to choose.
        action.type = ACT_DISCARD
        action.kind = turn.tile
        return
    unwanted = unwanted_kinds(table, seat)
    allowed = turn.discards
    for kind in range(N_KINDS):
        if (unwanted & allowed) >> kind & 1 and me.hand.count[kind]:
            allowed &= unwanted
            break
    best_discard(table.tables, &me.hand, table.rules.shapes, allowed, table.unseen, &best)
    if (turn.concealed | turn.added) & ~unwanted and greedy_kong(
        table, me, turn, unwanted, &best, action
    ):
        return
    if turn.specials | turn.supplements and greedy_special(table, seat, turn, &best, action):
        return
    if best.shanten == 0 and table.rules.hooks.modes != NULL:
        modes = declarable(table, seat, allowed, &best)
        action.mode = <uint8_t>wished_mode(table, seat, modes) if modes else 0
    action.type = ACT_DISCARD
    action.kind = best.kind
    action.hint = 1
    action.shanten = best.shanten
    action.waits = best.accepts if best.shanten == 0 else 0


cdef void try_claim(
    const Table* table, const Hand* after, int kind_of_action, int kind, const Choice* now,
    Choice* best, Action* action,
) noexcept nogil:
    """Keep a pong or chow if it lowers the shanten and beats what was kept before."""
    cdef Choice choice
    best_discard(
        table.tables, after, table.rules.shapes, ALL_KINDS, table.unseen, &choice
    )
    if choice.shanten >= now.shanten:
        return
    if choice.shanten < best.shanten or (
        choice.shanten == best.shanten and choice.live > best.live
    ):
        best[0] = choice
        action.type = <uint8_t>kind_of_action
        action.kind = <uint8_t>kind


cdef void greedy_claim(Table* table, int seat, const Claim* claim, Action* action) noexcept nogil:
    cdef const Seat* me = &table.seat[seat]
    cdef Choice now, best
    cdef Hand after
    cdef int i, first, kind
    action.type = ACT_PASS
    action.kind = claim.tile
    if unwanted_kinds(table, seat) >> claim.tile & 1:
        return
    measure(table, &me.hand, &now)
    if claim.kong:
        after = me.hand
        lay_down(&after, claim.tile, 3, 4)
        after.melds += 1
        measure(table, &after, &best)
        if no_worse(&best, &now):
            action.type = ACT_KONG
            return
    best = now
    if claim.pong:
        after = me.hand
        lay_down(&after, claim.tile, 2, 3)
        after.melds += 1
        try_claim(table, &after, ACT_PONG, claim.tile, &now, &best, action)
    for i in range(3):
        if not claim.chows >> i & 1:
            continue
        after = me.hand
        first = claim.tile - 2 + i
        for kind in range(first, first + 3):
            if kind != claim.tile:
                hand_remove(&after, kind)
            hand_lock(&after, kind)
        after.melds += 1
        try_claim(table, &after, ACT_CHOW, first, &now, &best, action)


cdef int64_t greedy_bid(
    Table* table, int seat, int bid, const int64_t* amounts, int n
) noexcept nogil:
    # Nothing, or what the seat was told: a set is added to, of amounts the greatest up to it.
    cdef int64_t wish = table.bid_wish[seat][bid], chosen = amounts[0]
    cdef int i
    if table.rules.bid_sets >> bid & 1:
        wish |= amounts[0]
    for i in range(n):
        if amounts[i] == wish or (amounts[i] < wish and not table.rules.bid_sets >> bid & 1):
            chosen = amounts[i]
    return chosen


cdef int greedy_opening(Table* table, int seat, int modes) noexcept nogil:
    return wished_mode(table, seat, modes)


cdef Policy policy_of(int index) noexcept nogil:
    cdef Policy policy
    policy.win = take_win
    if index == 0:
        policy.turn = random_turn
        policy.claim = random_claim
        policy.opening = random_opening
        policy.bid = random_bid
    else:
        policy.turn = greedy_turn
        policy.claim = greedy_claim
        policy.opening = greedy_opening
        policy.bid = greedy_bid
    return policy
