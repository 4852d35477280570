"""What a game is to the shared loop: the rule record, the table, and the hooks a module answers.

A hook that is NULL means the shared default (see docs/hooks.md). A game's module fills one
``Hooks`` and hands it to Python as a capsule; nothing else refers to it.
"""

from cython_core._hand cimport Hand, Tables
from cython_core._stream cimport Key, Stream
from cython_core._types cimport (
    MAX_BONUS, MAX_WALL, N_ALL, N_KINDS, N_SEATS,
    int8_t, int16_t, int32_t, int64_t, uint8_t, uint64_t,
)
from cython_core._wall cimport Wall

cdef enum:
    MAX_ELEMENTS = 40
    MAX_OPTIONS = 64
    MAX_COUNTERS = 12
    MAX_CONTEXT = 56
    MAX_BIDS = 4
    MAX_MELD_TILES = 16     # a special kong grows by its supplements
    MAX_NOTES = 4
    MAX_SPECIALS = 48       # ways to show a special kong
    MAX_HANDICAP = 3        # most by which one tile less can raise a handicap
    MAX_EVENTS = 1024

# Why a hand is no legal win; 0 = it is one. Names in _rules.pyx, in this order.
cdef enum Reason:
    LEGAL = 0
    NOT_COMPLETE = 1
    NOT_DECLARED = 2
    CLAIM_NOT_ALLOWED = 3
    SELF_DRAW_ONLY = 4
    DECLARATION_NOT_ALLOWED = 5
    NOT_DEALER = 6
    NO_SUCH_WIN = 7
    LEVEL_TOO_LOW = 8
    MIN_FLOWERS = 9
    MISSED_WIN = 10
    SUIT_MISSING = 11
    NO_TERMINAL = 12
    NO_TRIPLET = 13
    SINGLE_TILE = 14

# rule_record.kong_after_declaring
cdef enum:
    KONG_NEVER = 0
    KONG_SAME_WAITS = 1
    KONG_STILL_READY = 2

ctypedef struct Meld:
    uint8_t type            # MeldType
    uint8_t kind            # lowest kind
    uint8_t n               # tiles
    int8_t source           # seat that fed it, NO_SEAT when self-made
    uint8_t tiles[MAX_MELD_TILES]

ctypedef struct Seat:
    Hand hand
    Meld meld[4]
    uint64_t quads          # kinds of which four concealed copies are held
    uint64_t waits          # live waits of the hand between its turns, 0 when not ready
    int8_t shanten          # of the hand between its turns
    uint8_t mode            # declaration: 0 none, else 1 + position in the game's modes
    uint8_t mode_at_discard     # the same before the last own discard
    uint8_t n_discards
    uint8_t n_turns         # own turns begun
    uint8_t n_bonus
    uint8_t bonus_at_mode   # bonus tiles held when declaring
    uint8_t marks           # what the declaration says besides, bits in the order of the game's MARKS
    uint8_t opening_mode    # 1 declared in the opening window, 2 with the first discard
    int16_t mode_turn       # turn of the deal in which it was declared
    int listen              # open row of the listens, -1 none
    int64_t note[MAX_NOTES]     # the game's own
    uint8_t bonus[MAX_BONUS]
    uint8_t dealt[N_KINDS]  # dealt copies still held, where the game keeps count of them

ctypedef struct Carried:
    int32_t dealer
    int32_t first_dealer
    int32_t round           # from 1
    int32_t deal_in_match   # from 0
    int32_t over            # the match has ended
    int64_t counter[MAX_COUNTERS]

# Everything that scoring looks at: filled from a played deal or from a worked case.
ctypedef struct Win:
    int8_t winner
    int8_t discarder        # of the tile, or the robbed seat; NO_SEAT
    int8_t dealer
    uint8_t by              # By
    uint8_t tile            # winning tile; the last dealt one of a dealt win
    uint8_t shown           # the same as it was thrown: a lone wild tile may be taken for its face
    uint8_t wild            # face of the wild tiles, NO_KIND without
    uint8_t n_bonus
    Hand hand               # with the winning tile
    Meld meld[4]
    uint8_t bonus[MAX_BONUS]
    int64_t context[MAX_CONTEXT]

ctypedef struct Settlement:
    int64_t value[MAX_ELEMENTS]     # element values and factors, 0 = absent
    int64_t base_total
    int64_t multiplier
    int64_t fan
    int64_t pay[N_SEATS]
    # Where payers owe different amounts.
    uint8_t payers                  # seats whose amounts are counted, as bits
    int64_t payer_fan[N_SEATS]
    int64_t payer_value[N_SEATS][MAX_ELEMENTS]  # elements of that payer's amount alone

ctypedef struct Outcome:
    int n_winners           # 0 = exhausted
    int8_t winner[3]        # nearest to the discarder first
    int64_t multiplier      # of the first win
    int8_t discarder        # of the tile that was won, or the robbed seat; NO_SEAT
    int8_t dice[2]          # of the next deal, where they are known already; else 0

# One way to show a special kong.
ctypedef struct Special:
    uint8_t type            # MeldType
    uint8_t n               # tiles
    uint8_t tiles[4]

# Legal actions of a seat's own turn, as masks over kinds.
ctypedef struct Turn:
    uint64_t discards       # may go if held; none: the turn may be passed
    uint64_t concealed      # concealed kongs
    uint64_t added          # added kongs
    uint64_t supplements[4]     # tiles that may be added to each special kong, from MELD_XUAN_FENG
    uint8_t specials        # special kongs may be shown: those of the hook `specials`
    uint8_t claimed         # the turn was entered by a pong or chow: nothing in it wins
    uint8_t by              # By: how the turn was entered
    uint8_t tile            # the tile drawn, claimed or dealt last
    uint8_t win

cdef enum ActionType:
    ACT_DISCARD = 0
    ACT_WIN = 1
    ACT_CONCEALED = 2
    ACT_ADDED = 3
    ACT_PONG = 4
    ACT_KONG = 5
    ACT_CHOW = 6
    ACT_PASS = 7
    ACT_SPECIAL = 8         # kind = place in the list of the hook `specials`
    ACT_SUPPLEMENT = 9      # mode = MeldType of the special kong

ctypedef struct Action:
    uint8_t type
    uint8_t kind            # discarded or konged kind; lowest tile of a chow
    uint8_t mode            # declared with the discard
    # What a policy that has looked already may tell the loop (hint = 1), to save a second look.
    uint8_t hint
    int8_t shanten
    uint64_t waits

# Claims open to one seat on one discard.
ctypedef struct Claim:
    uint8_t tile
    uint8_t pong
    uint8_t kong
    uint8_t chows           # bit i: the run starting at tile - 2 + i

cdef enum EventType:
    EV_FLOWER = 0
    EV_DRAW = 1
    EV_DISCARD = 2
    EV_READY = 3
    EV_CHOW = 4
    EV_PONG = 5
    EV_KONG = 6
    EV_ROB = 7
    EV_WIN = 8
    EV_EXHAUSTED = 9
    EV_BID = 10
    EV_SPECIAL_KONG = 11
    EV_SUPPLEMENT = 12
    EV_KONG_PAYMENT = 13
    EV_INDICATOR = 14
    EV_BAO = 15
    EV_BAO_VIEW = 16

ctypedef struct Event:
    uint8_t type
    int8_t seat
    uint8_t tile
    uint8_t other           # replacement tile, mode, meld type or number of the win
    int8_t source           # seat it comes from
    int16_t index           # wall index, -1 none; tiles left
    uint8_t tail            # drawn from the tail
    uint64_t mask           # waits; tiles of a special kong or dice, a byte each; amount of a bid
    uint8_t marks           # of a declaration
    int64_t pay[N_SEATS]    # of a kong

ctypedef struct Log:
    int n
    int overflow
    Carried before          # what the deal began with, its dice included
    Event event[MAX_EVENTS]
    Win win[3]
    Settlement settlement[3]

ctypedef packed struct Listen:
    int32_t deal
    int8_t seat
    int16_t turn
    int16_t tiles_left
    int8_t mode
    uint64_t waits
    int8_t kinds
    int16_t live_wall
    int16_t live_visible
    int8_t wait_class
    int8_t outcome
    int16_t turns_to_outcome

cdef enum ListenOutcome:
    LISTEN_WON_BY_DRAW = 0
    LISTEN_WON_BY_DISCARD = 1
    LISTEN_DEALT_IN = 2
    LISTEN_ANOTHER_WON = 3
    LISTEN_EXHAUSTED = 4
    LISTEN_CHANGED = 5

# When a seat may win by what it sees.
cdef enum Moment:
    AFTER_DISCARD = 0       # and the discard was not won
    AFTER_MELD = 1          # and a kong has been paid
    BEFORE_DRAW = 2         # the first of a turn

cdef struct Rules
cdef struct Table

ctypedef void (*turn_policy)(Table*, int seat, const Turn*, Action*) noexcept nogil
ctypedef void (*claim_policy)(Table*, int seat, const Claim*, Action*) noexcept nogil
ctypedef int (*opening_policy)(Table*, int seat, int modes) noexcept nogil
ctypedef int64_t (*bid_policy)(
    Table*, int seat, int bid, const int64_t* amounts, int n
) noexcept nogil
ctypedef int (*win_policy)(Table*, int seat, int by, int tile) noexcept nogil
ctypedef int (*bao_policy)(Table*, int seat) noexcept nogil

# How a simulated player decides.
cdef struct Policy:
    turn_policy turn
    claim_policy claim
    opening_policy opening      # the mode to declare, 0 none
    bid_policy bid              # one of the amounts, the first of which is the least
    win_policy win              # take a win on another's tile?
    bao_policy bao              # throw the dice for another bao?

ctypedef int (*modes_hook)(const Table*, int seat, const Hand*, uint64_t waits) noexcept nogil
ctypedef int (*declare_hook)(Table*, int seat, const Turn*, int kind, int mode) noexcept nogil
ctypedef uint64_t (*declared_hook)(
    const Table*, int seat, const Hand*, int mode, uint64_t waits
) noexcept nogil
ctypedef uint64_t (*waits_hook)(
    const Table*, int seat, const Hand*, uint64_t waits
) noexcept nogil
ctypedef int (*handicap_hook)(
    const Table*, int seat, const Hand*, uint64_t* dearer
) noexcept nogil
ctypedef uint64_t (*kinds_hook)(const Table*, int seat) noexcept nogil
ctypedef void (*context_hook)(const Table*, Win*) noexcept nogil
ctypedef int (*score_hook)(const Rules*, const Tables*, const Win*, Settlement*) noexcept nogil
ctypedef void (*carry_hook)(
    const Rules*, const Outcome*, const Carried* before, Carried* after
) noexcept nogil
ctypedef void (*table_hook)(Table*) noexcept nogil
ctypedef bint (*may_draw_hook)(const Table*, bint tail) noexcept nogil
ctypedef void (*draw_hook)(Table*, int seat, int by) noexcept nogil
ctypedef bint (*tile_hook)(const Table*, int seat, int by, int tile) noexcept nogil
ctypedef bint (*may_kong_hook)(const Table*, int seat, int kind, int meld_type) noexcept nogil
ctypedef void (*turn_hook)(const Table*, int seat, Turn*) noexcept nogil
ctypedef int (*specials_hook)(const Table*, int seat, Special*) noexcept nogil
ctypedef bint (*rob_hook)(const Table*, int seat, int kind) noexcept nogil
ctypedef bint (*table_test_hook)(const Table*) noexcept nogil
ctypedef void (*discard_hook)(Table*, int seat, int kind, bint declined_win) noexcept nogil
ctypedef int (*sight_hook)(Table*, int to_move, int moment, int* tile) noexcept nogil
ctypedef void (*pass_hook)(Table*, int seat, int by, int tile) noexcept nogil
ctypedef void (*claim_hook)(const Table*, int seat, Claim*) noexcept nogil
ctypedef void (*passed_claim_hook)(Table*, int seat, const Claim*) noexcept nogil
ctypedef int (*wished_hook)(const Table*, int seat) noexcept nogil
ctypedef void (*made_claim_hook)(Table*, int seat, const Meld*) noexcept nogil
ctypedef void (*kong_hook)(Table*, int seat, const Meld*) noexcept nogil
ctypedef void (*kong_pay_hook)(
    const Rules*, int seat, const Meld*, bint supplement, int64_t* pay
) noexcept nogil

# NULL: the shared default. The table of docs/hooks.md says which game answers which.
cdef struct Hooks:
    # Before play.
    table_hook dice             # those that belong to what the deal begins with
    table_hook before_deal      # bids and dice; the tiles are not dealt yet
    table_hook after_deal       # hands dealt, bonus tiles replaced
    # The wall.
    may_draw_hook may_draw      # instead of reserve_tiles
    table_test_hook last_round  # every seat draws once more and keeps the tile, then the deal ends
    draw_hook after_draw        # a tile has come into the hand
    # A seat's own turn.
    waits_hook legal_waits      # strikes out waits that win nothing
    # How much farther from a legal win a hand is than its shanten says; `dearer` by how much more
    # without one tile of these kinds: [0] by one, [1] by two, [2] by three.
    handicap_hook handicap
    modes_hook modes            # modes that this ready hand may declare, bit m = mode m
    declare_hook on_declare     # declared with the discard of a kind still held: the marks
    declared_hook declared_waits   # those waits of a hand that count once it is declared
    wished_hook wished_discard  # kind that `greedy` was told to throw now, or NO_KIND
    kinds_hook unwanted         # kinds that what the seat has bid bids it be rid of, for `greedy`
    turn_hook own_turn          # strikes out actions, adds special kongs and supplements
    may_kong_hook may_kong      # beside the shared conditions of a kong
    specials_hook specials      # special kongs that may be shown; how many
    rob_hook may_rob            # whether a tile added to a special kong may be taken
    discard_hook on_discard     # a tile goes; whether a self-drawn win was declined
    # What others do with a discard.
    pass_hook on_pass           # a legal win on another's tile was not taken
    sight_hook sight            # seats that may win by sight of a tile, as bits
    claim_hook may_claim        # strikes out claims
    passed_claim_hook on_passed_claim
    made_claim_hook on_claim    # a pong, chow or exposed kong lies; nothing thrown yet
    kong_hook on_kong           # a kong stands
    kong_pay_hook kong_pay      # what it earns at once
    # The end.
    tile_hook wins_anyway       # the tile wins although the shape is not complete
    context_hook context        # what the game's scoring needs beyond the tiles
    score_hook score            # legality (a Reason) and worth of a win
    table_hook exhausted
    carry_hook carry            # counters, and the dealer where it is not the common rule

cdef struct Rules:
    const Hooks* hooks
    int32_t tile_set
    int32_t shapes
    uint64_t bonus              # kinds set aside and replaced
    int32_t wall_size
    uint8_t wall[MAX_WALL]      # the tiles, sorted by kind
    int32_t allow_chow
    int32_t chow_from_any       # not from the seat before alone
    int32_t allow_pong
    int32_t allow_exposed_kong
    int32_t allow_added_kong
    int32_t rob_added_kong
    int32_t multi_ron
    int32_t opening_window
    int32_t rob_supplement      # by a win or a pong
    int32_t rob_supplement_by_kong
    int32_t specials_after_deal     # special kongs are shown before the first turn, not in it
    int32_t kong_after_declaring
    int32_t concealed_kong_hidden
    int32_t reserve_tiles
    int32_t wild_tiles          # copies of the wild face: 0, 3 (one is turned up) or 4 (drawn by lot)
    int32_t rounds_per_match
    int32_t deals_per_match     # 0: the match ends by rounds
    int32_t first_dealer_drawn
    int32_t dealer_stays_on_draw
    int32_t n_modes
    int32_t bid_sets            # bids whose amounts are sets of words, as bits
    int32_t has_fans            # what a settlement tells besides, see SETTLEMENT in _rules.pyx
    int32_t has_payer_elements
    int32_t has_payer_fans
    int32_t n_counters
    int32_t n_elements
    int32_t value[MAX_ELEMENTS]     # in the order of the game's Element enum
    int32_t option[MAX_OPTIONS]     # in the order of the game's Option enum

# Splitting of deals that come nearer to a rare event: see `split` in _play.pyx.
cdef enum:
    LEVELS = 20                 # of nearness, by the tiles missing
    OF_KONGS = -1               # where an element is asked for: kongs of the winner

cdef struct Aim:
    int kinds                   # kinds wanted; 0: only one suit
    uint8_t wanted[16]          # copies of each, most first
    int tiles                   # of the hand aimed at
    int one_suit                # all of them of one suit
    int concealed               # none of them melded
    double start                # what a deal weighs, a plain one 1
    double target[LEVELS]       # what a copy shall weigh when so few tiles are missing
    Stream stream
    int conditions              # of the event, on elements of one win
    int element[8]
    int64_t least[8]
    int64_t most[8]
    double found[N_SEATS]       # weight of the deals won with the event, by place from the dealer
    double reached[LEVELS]      # weight of the deals in which so few tiles were missing

cdef struct Table:
    const Rules* rules
    const Tables* tables
    Wall wall
    Seat seat[N_SEATS]
    uint8_t unseen[N_KINDS]     # 4 - discards - exposed melds: copies hidden from everybody's view
    Carried carried
    int64_t match
    int row                     # of the deal in the caller's block
    int turns                   # own turns begun
    int thrown                  # kind thrown last
    int discard                 # as what others may take it: a lone wild tile for its face, by option
    uint8_t discard_is_dead     # nobody may take it
    # Face of the wild tiles, NO_KIND without. Whites stand for that face, so the two change places:
    # in hands, masks and events (not in the wall) the face means whites and WILD the wild tiles.
    uint8_t wild
    int robber                  # seat whose claim took a supplement, NO_SEAT
    int fed_by                  # seat whose discard was konged, while its replacement is in play
    int64_t game[MAX_NOTES]     # the game's own, cleared before each deal
    uint8_t tally[N_KINDS]      # the same, by kind
    int64_t kong_pay[N_SEATS]   # paid for kongs in this deal
    Stream dice
    uint8_t dice_are_open
    Key key
    Stream policy_stream[N_SEATS]
    uint8_t stream_is_open[N_SEATS]
    Policy policy[N_SEATS]
    uint8_t wish[N_SEATS]       # mode that a greedy seat declares where it may, 0 the first
    int64_t bid_wish[N_SEATS][MAX_BIDS]     # the bids that a greedy seat makes
    # As dealt, bonus tiles replaced.
    int8_t dealt_shanten[N_SEATS]
    int8_t dealt_bonus[N_SEATS]
    int8_t dealt_wilds[N_SEATS]
    int8_t dealt_special_kongs[N_SEATS]   # that could be shown: bits from xuan_feng; all 0 without
    # What the deal ends in.
    int n_winners
    Win win[3]
    Settlement settlement[3]
    # Rows and log of the caller.
    Listen* listens
    int n_listens
    Log* log                    # NULL when not replaying
    Aim* aim                    # NULL when no deals are split
    int missing                 # least number of tiles missing to the aim so far
    double weight               # of this copy of the deal


cdef class RuleRecord:
    """A compiled ruleset: the only form that the core plays by."""
    cdef Rules rules
    cdef object hooks           # keeps the capsule alive
    cdef readonly str module
    cdef readonly tuple element_names
    cdef readonly tuple counter_names
    cdef readonly tuple mode_names
    cdef readonly tuple bid_names
    cdef readonly tuple mark_names
    cdef readonly dict context
    cdef readonly dict carried

    cdef _set_wall(self, tile_counts, bonus)
    cdef _set_switches(self, switches)
