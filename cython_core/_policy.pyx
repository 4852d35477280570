"""The policies ``random`` and ``greedy``.

A policy sees the table, but reads only what its seat may see: its own hand, melds, discards and
declarations (``Table.unseen``), never another's tiles nor the wall.
"""

from cython_core._bits cimport lowest_bit
from cython_core._hand cimport (
    Choice, Hand, accepts, best_discard, hand_add, hand_lock, hand_remove, missing, shanten,
    waits,
)
from cython_core._rules cimport (
    ACT_ADDED, ACT_CHOW, ACT_CONCEALED, ACT_DISCARD, ACT_KONG, ACT_PASS, ACT_PONG, ACT_SPECIAL,
    ACT_SUPPLEMENT, ACT_WIN, LEGAL, MAX_HANDICAP, MAX_SPECIALS, Action, Claim, Meld, Policy, Seat,
    Settlement, Special, Table, Turn, Win,
)
from cython_core._stream cimport PURPOSE_SEAT, Stream, stream_below, stream_open
from cython_core._table cimport describe_win
from cython_core._types cimport (
    BY_SELF_DRAW, MELD_CHOW, MELD_KONG_EXPOSED, MELD_PONG, MELD_XUAN_FENG, N_KINDS, NO_KIND, NO_SEAT,
    WILD, int64_t, uint8_t, uint64_t,
)

POLICIES = ("random", "greedy")

cdef uint64_t ALL_KINDS = (<uint64_t>1 << N_KINDS) - 1


cdef int take_win(Table* table, int seat, int by, int tile) noexcept nogil:
    return 1


cdef inline uint64_t winning_waits(
    const Table* table, int seat, const Hand* hand, uint64_t live
) noexcept nogil:
    """Those of the waits that may win in the game."""
    if live == 0 or table.rules.hooks.legal_waits == NULL:
        return live
    return table.rules.hooks.legal_waits(table, seat, hand, live)


cdef int legal_modes(const Table* table, int seat, const Hand* hand, uint64_t live) noexcept nogil:
    """Modes that the seat may declare with this ready hand, as bits."""
    if table.seat[seat].mode or table.rules.hooks.modes == NULL:
        return 0
    live = winning_waits(table, seat, hand, live)
    if live == 0:
        return 0
    return table.rules.hooks.modes(table, seat, hand, live)


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
    # 14 kinds at the most, each with up to 3 declarations and none, and as a supplement of up to
    # 4 special kongs; kongs, special kongs.
    cdef Action actions[180]
    cdef int n = 0, kind, mode, modes, special
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
            modes = 0
            if me.mode == 0 and table.rules.hooks.modes != NULL:
                after = me.hand
                hand_remove(&after, kind)
                modes = legal_modes(
                    table, seat, &after, waits(table.tables, &after, table.rules.shapes)
                )
            for mode in range(1, table.rules.n_modes + 1):
                if modes >> mode & 1:
                    add(actions, &n, ACT_DISCARD, kind, mode)
        for special in range(4):
            if turn.supplements[special] >> kind & 1:
                add(actions, &n, ACT_SUPPLEMENT, kind, MELD_XUAN_FENG + special)
    for special in range(turn.specials):
        add(actions, &n, ACT_SPECIAL, special, 0)
    if turn.discards == 0:
        add(actions, &n, ACT_PASS, turn.tile, 0)
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


# greedy: lowest shanten, then most live acceptance, then the lowest tile kind. Where a game has
# hands that may not win, its handicap is added to the shanten (of equal sums that with the lower
# handicap comes first), and a ready hand is one with a wait that wins.


cdef int live_copies(const Table* table, const Hand* hand, uint64_t kinds) noexcept nogil:
    cdef int kind, n = 0
    while kinds:
        kind = lowest_bit(kinds)
        kinds &= kinds - 1
        n += table.unseen[kind] - hand.count[kind]
    return n


cdef int handicap(const Table* table, int seat, const Hand* hand) noexcept nogil:
    cdef uint64_t dearer[MAX_HANDICAP]
    if table.rules.hooks.handicap == NULL:
        return 0
    return table.rules.hooks.handicap(table, seat, hand, dearer)


cdef void measure(const Table* table, int seat, const Hand* hand, Choice* out) noexcept nogil:
    """Shanten and live acceptance of a hand between its turns."""
    out.shanten = <signed char>shanten(table.tables, hand, table.rules.shapes)
    out.accepts = accepts(table.tables, hand, table.rules.shapes, out.shanten)
    out.far = 0
    if out.shanten > 0:
        out.far = <signed char>handicap(table, seat, hand)
    else:
        out.accepts = winning_waits(table, seat, hand, out.accepts)
        if out.accepts == 0:
            out.far = <signed char>max(1, handicap(table, seat, hand))
    out.shanten += out.far
    out.live = live_copies(table, hand, out.accepts)


cdef inline bint better(const Choice* one, const Choice* other) noexcept nogil:
    if one.shanten != other.shanten:
        return one.shanten < other.shanten
    if one.far != other.far:
        return one.far < other.far
    if one.live != other.live:
        return one.live > other.live
    return one.kind < other.kind


cdef void choose_discard(
    const Table* table, int seat, const Hand* hand, uint64_t allowed, int nearest, int most,
    Choice* best,
) noexcept nogil:
    """The best discard of a hand in turn; none where the shanten after it is above `most`.

    `nearest` is a shanten that no discard goes below, and not above nought if one leaves it ready.
    """
    cdef uint64_t dearer[MAX_HANDICAP]
    cdef Choice choice
    cdef uint64_t group
    cdef Hand after
    cdef int kind, least, more
    if hand.white:
        # Wild tiles are kept.
        allowed &= ~(<uint64_t>1 << WILD)
    if table.rules.hooks.handicap == NULL:
        best_discard(table.tables, hand, table.rules.shapes, allowed, table.unseen, best)
        best.far = 0
        if best.shanten > most:
            best.kind = NO_KIND
        return
    # Nothing as far as this is better.
    best.kind = NO_KIND
    best.shanten = <signed char>(most + 1)
    best.far = -1
    # A hand that a discard leaves ready is worth what its waits win.
    for kind in range(0 if nearest > 0 else N_KINDS):
        if not (allowed >> kind & 1 and hand.count[kind]):
            continue
        after = hand[0]
        hand_remove(&after, kind)
        if shanten(table.tables, &after, table.rules.shapes) > 0:
            continue
        allowed &= ~(<uint64_t>1 << kind)
        measure(table, seat, &after, &choice)
        choice.kind = <unsigned char>kind
        if better(&choice, best):
            best[0] = choice
    least = table.rules.hooks.handicap(table, seat, hand, dearer)
    for more in range(MAX_HANDICAP + 1):
        # No discard brings the hand nearer than it is.
        if best.shanten <= nearest + least + more:
            break
        group = allowed
        if more:
            group &= dearer[more - 1]
        else:
            for kind in range(MAX_HANDICAP):
                group &= ~dearer[kind]
        if group == 0:
            continue
        best_discard(table.tables, hand, table.rules.shapes, group, table.unseen, &choice)
        if choice.kind == NO_KIND:
            continue
        choice.far = <signed char>(least + more)
        choice.shanten += choice.far
        if better(&choice, best):
            best[0] = choice


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


cdef void value(
    const Table* table, int seat, const Hand* hand, uint64_t allowed, Choice* out
) noexcept nogil:
    """Shanten and live acceptance of a hand in turn or between turns."""
    cdef int nearest
    if (hand.tiles + hand.wilds) % 3 == 2:
        nearest = 0
        if table.rules.hooks.handicap != NULL:
            nearest = max(0, shanten(table.tables, hand, table.rules.shapes))
        choose_discard(table, seat, hand, allowed, nearest, 98, out)
    else:
        measure(table, seat, hand, out)


cdef bint greedy_special(
    const Table* table, int seat, const Turn* turn, const Choice* best, Action* action
) noexcept nogil:
    """A special kong or a supplement, under the condition of every kong."""
    cdef const Seat* me = &table.seat[seat]
    cdef Special shown[MAX_SPECIALS]
    cdef int kind, special, i, n = 0
    cdef Hand after
    cdef Choice choice
    if turn.specials:
        n = table.rules.hooks.specials(table, seat, shown)
    for special in range(n):
        after = me.hand
        for i in range(shown[special].n):
            lay_down(&after, shown[special].tiles[i], 1, 1)
        after.melds += 1
        value(table, seat, &after, ALL_KINDS, &choice)
        if no_worse(&choice, best):
            action.type = ACT_SPECIAL
            action.kind = <uint8_t>special
            return True
    for special in range(4):
        for kind in range(N_KINDS if turn.supplements[special] else 0):
            if not turn.supplements[special] >> kind & 1:
                continue
            after = me.hand
            lay_down(&after, kind, 1, 1)
            measure(table, seat, &after, &choice)
            if no_worse(&choice, best):
                action.type = ACT_SUPPLEMENT
                action.kind = <uint8_t>kind
                action.mode = <uint8_t>(MELD_XUAN_FENG + special)
                return True
    return False


cdef bint greedy_kong(
    const Table* table, int seat, const Turn* turn, uint64_t unwanted, const Choice* best,
    Action* action,
) noexcept nogil:
    cdef const Seat* me = &table.seat[seat]
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
        measure(table, seat, &after, &choice)
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
    cdef uint64_t supplements, unwanted, allowed
    cdef int modes, kind
    action.mode = 0
    action.hint = 0
    if table.rules.hooks.wished_discard != NULL:
        # Before a win: whoever was told to throw this tile is to give that win up for a higher one.
        kind = table.rules.hooks.wished_discard(table, seat)
        if kind != NO_KIND and turn.discards >> kind & 1:
            action.type = ACT_DISCARD
            action.kind = <uint8_t>kind
            return
    if turn.win:
        action.type = ACT_WIN
        return
    supplements = (
        turn.supplements[0] | turn.supplements[1] | turn.supplements[2] | turn.supplements[3]
    )
    if me.mode and not (turn.concealed | turn.added | supplements):
        # A locked hand has nothing to choose.
        action.type = ACT_DISCARD
        action.kind = turn.tile
        return
    unwanted = unwanted_kinds(table, seat)
    allowed = turn.discards
    if unwanted:
        for kind in range(N_KINDS):
            if (unwanted & allowed) >> kind & 1 and me.hand.count[kind]:
                allowed &= unwanted
                break
    value(table, seat, &me.hand, allowed, &best)
    if (turn.concealed | turn.added) & ~unwanted and greedy_kong(
        table, seat, turn, unwanted, &best, action
    ):
        return
    if turn.specials | supplements and greedy_special(table, seat, turn, &best, action):
        return
    if turn.discards == 0:
        action.type = ACT_PASS
        return
    if best.shanten == 0 and table.rules.hooks.modes != NULL:
        modes = declarable(table, seat, allowed, &best)
        action.mode = <uint8_t>wished_mode(table, seat, modes) if modes else 0
    action.type = ACT_DISCARD
    action.kind = best.kind
    if me.hand.white:
        if action.kind == NO_KIND:
            action.kind = WILD
        return
    action.hint = 1
    action.shanten = best.shanten - best.far
    action.waits = best.accepts if action.shanten == 0 else 0


cdef bint may_win(
    const Table* table, int seat, const Hand* ready, uint64_t live, int type_of_meld, int tile
) noexcept nogil:
    """Whether drawing one of the waits would win by the rules, the hand having a new meld.

    A hand that must be declared is left to what may be declared, and one with a handicap to that.
    """
    cdef Meld* meld
    cdef Hand hand
    cdef Win win
    cdef Settlement settlement
    cdef int kind
    if table.rules.hooks.modes != NULL or table.rules.hooks.handicap != NULL:
        return True
    while live:
        kind = lowest_bit(live)
        live &= live - 1
        hand = ready[0]
        hand_add(&hand, kind)
        describe_win(table, seat, &hand, BY_SELF_DRAW, kind, NO_SEAT, &win)
        meld = &win.meld[hand.melds - 1]
        meld.type = <uint8_t>type_of_meld
        meld.kind = <uint8_t>tile
        if table.rules.hooks.score(table.rules, table.tables, &win, &settlement) == LEGAL:
            return True
    return False


cdef void try_claim(
    const Table* table, int seat, const Hand* after, int type_of_meld, int kind,
    int now, Choice* best, Action* action,
) noexcept nogil:
    """Keep a pong or chow if it lowers the shanten and beats what was kept before."""
    cdef Choice choice
    cdef Hand ready
    # The discard that follows takes nothing away, unless the hand is complete.
    cdef int distance = missing(table.tables, after, table.rules.shapes)
    if distance - (distance > 0) >= now:
        return
    choose_discard(
        table, seat, after, ALL_KINDS, distance - (distance > 0), now - 1, &choice
    )
    if choice.kind == NO_KIND:
        return
    if choice.shanten == 0:
        ready = after[0]
        hand_remove(&ready, choice.kind)
        if not may_win(table, seat, &ready, choice.accepts, type_of_meld, kind):
            return
    if action.type == ACT_PASS or choice.shanten < best.shanten or (
        choice.shanten == best.shanten and choice.live > best.live
    ):
        best[0] = choice
        action.type = ACT_CHOW if type_of_meld == MELD_CHOW else ACT_PONG
        action.kind = <uint8_t>kind


cdef void greedy_claim(Table* table, int seat, const Claim* claim, Action* action) noexcept nogil:
    cdef const Seat* me = &table.seat[seat]
    cdef Choice now, best
    cdef Hand after
    cdef int i, first, kind, distance
    action.type = ACT_PASS
    action.kind = claim.tile
    if unwanted_kinds(table, seat) >> claim.tile & 1:
        return
    if claim.kong or me.shanten <= 0:
        measure(table, seat, &me.hand, &now)
        distance = now.shanten
    else:
        distance = me.shanten + handicap(table, seat, &me.hand)
    if claim.kong:
        after = me.hand
        lay_down(&after, claim.tile, 3, 4)
        after.melds += 1
        measure(table, seat, &after, &best)
        if no_worse(&best, &now) and (
            best.shanten
            or may_win(table, seat, &after, best.accepts, MELD_KONG_EXPOSED, claim.tile)
        ):
            action.type = ACT_KONG
            return
    if claim.pong:
        after = me.hand
        lay_down(&after, claim.tile, 2, 3)
        after.melds += 1
        try_claim(table, seat, &after, MELD_PONG, claim.tile, distance, &best, action)
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
        try_claim(table, seat, &after, MELD_CHOW, first, distance, &best, action)


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


cdef int random_bao(Table* table, int seat) noexcept nogil:
    return any_of(table, seat, 2)


cdef int greedy_bao(Table* table, int seat) noexcept nogil:
    return 1


cdef Policy policy_of(int index) noexcept nogil:
    cdef Policy policy
    policy.win = take_win
    if index == 0:
        policy.turn = random_turn
        policy.claim = random_claim
        policy.opening = random_opening
        policy.bid = random_bid
        policy.bao = random_bao
    else:
        policy.turn = greedy_turn
        policy.claim = greedy_claim
        policy.opening = greedy_opening
        policy.bid = greedy_bid
        policy.bao = greedy_bao
    return policy
