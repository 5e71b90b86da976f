package dev.weir.storage.server;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.weir.lua.hooks.BlockInfo;
import dev.weir.lua.hooks.HookVerdict;
import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.Gate;
import dev.weir.storage.access.KeyAccess;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.Rules;
import dev.weir.storage.access.Source;
import dev.weir.storage.access.Verdict;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.hooks.Hooks;
import dev.weir.storage.hooks.HooksInForce;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.index.Match;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.stats.ClientStatistics;
import dev.weir.storage.stats.Recorder;
import dev.weir.storage.stats.Statistics;
import dev.weir.wire.Box;
import dev.weir.wire.Carrier;
import dev.weir.wire.Command;
import dev.weir.wire.CommandCode;
import dev.weir.wire.Epoch;
import dev.weir.wire.ErrorCode;
import dev.weir.wire.Generation;
import dev.weir.wire.Opened;
import dev.weir.wire.Parse;
import dev.weir.wire.Protocol;
import dev.weir.wire.ReplyLayout;
import dev.weir.wire.ReplyWriter;
import dev.weir.wire.SharedKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From the bytes of a request to the bytes of its reply: open, decode, gate, match, seal. Everything that a check needs
 * is made once, for one receiving thread; a check allocates nothing and takes no lock.
 */
final class CommandHandler implements DatagramHandler {
    private static final Logger LOG = LoggerFactory.getLogger(CommandHandler.class);
    private static final AtomicBoolean DEFECT_LOGGED = new AtomicBoolean();

    /** Equal slots from which a match renews a hash: a probability above 0.9 (docs/reference/storage.md#renewal). */
    private static final int STRONG = 29;

    /** How often a hash that is seen all the time is renewed before it would expire. */
    private static final int REFRESHES = 24;

    /** What all handlers of a server share. */
    record Shared(LiveHashes hashes, Gate gate, LateReplies lateReplies, HooksInForce hooks, Counters counters,
            Statistics statistics, Submissions submissions) {}

    private final Shared shared;
    private final Tally tally;
    private final Box box;
    private final AgreementBudget agreements;
    private final Command command = new Command(Generation.all());
    private final ReplyWriter reply = new ReplyWriter();
    private final Lookup lookup = new Lookup();
    private final FlagOrder flags = new FlagOrder();
    private final Source source = new Source();
    private final Recorder recorder;
    private final SplittableRandom chance;
    private final byte[] digest = new byte[Digest.BYTES];
    private final long[] words = new long[Digest.WORDS];

    CommandHandler(Shared shared, Box box, AgreementBudget agreements) {
        this.agreements = agreements;
        this.shared = shared;
        this.tally = shared.counters().newTally();
        this.box = box;
        this.recorder = shared.statistics().newRecorder();
        this.chance = new SplittableRandom();
    }

    @Override
    public int handle(byte[] datagram, int length, Peer from, byte[] out) {
        tally.increment(Counter.RECEIVED);
        try {
            Rules rules = shared.gate().rules();
            from.describe(source);
            long now = shared.hashes().now();
            if (!source.isStream() && rules.refuses(source, now)) {
                tally.increment(Counter.DROPPED_BLOCKED);
                tellBlocked(rules, null);
                return 0;
            }
            if (!Box.isRequest(datagram, 0, length)) {
                return answer(rules, now, null, datagram, 0, length,
                        source.isStream() ? Carrier.FRAME : Carrier.DATAGRAM, null, from, out);
            }
            Opened opened = box.openKnown(rules.keys(), datagram, 0, length);
            if (opened == Opened.NEW_KEY && agreements.take(source)) {
                opened = box.open(rules.keys(), datagram, 0, length);
            }
            if (opened != Opened.OK) {
                return drop(opened);
            }
            tally.increment(Counter.ENCRYPTED);
            SharedKey key = box.sharedKey();
            KeyAccess access = rules.key(box.serverKey().publicKey().wireId());
            int size = answer(rules, now, access, datagram, box.plainOffset(), box.plainLength(),
                    source.isStream() ? Carrier.BOXED_FRAME : Carrier.BOXED_DATAGRAM, key,
                    from, out);
            return size == 0 ? 0 : box.sealReply(key, out, 0, size);
        } catch (RuntimeException e) {
            // A defect: the loop must go on, and a packet that triggers it must not fill the log.
            tally.increment(Counter.DROPPED_INTERNAL);
            if (DEFECT_LOGGED.compareAndSet(false, true)) {
                LOG.error("a request could not be handled; further ones are only counted", e);
            }
            return 0;
        }
    }

    private int drop(Opened reason) {
        if (reason != Opened.NEW_KEY) {
            invalid();
        }
        tally.increment(switch (reason) {
            case NO_KEY -> Counter.DROPPED_NO_KEY;
            case NEW_KEY -> Counter.DROPPED_NEW_KEYS;
            case ECHO -> Counter.DROPPED_ECHO;
            case WEAK_KEY -> Counter.DROPPED_WEAK_KEY;
            case OK, NOT_A_BOX, BAD_MAC -> Counter.DROPPED_MAC;
        });
        return 0;
    }

    /**
     * The address of a connection cannot be forged, so its errors need not be remembered
     * (docs/reference/protocol.md#frames).
     */
    private void invalid() {
        if (!source.isStream()) {
            recorder.invalid(source.high(), source.low());
        }
    }

    private int drop(Parse reason) {
        invalid();
        tally.increment(switch (reason) {
            case TOO_SHORT -> Counter.DROPPED_TOO_SHORT;
            case OK, BAD_VERSION, NOT_ACCEPTED -> Counter.DROPPED_VERSION;
            case BAD_LENGTH -> Counter.DROPPED_LENGTH;
            case MISSING_SHINGLES -> Counter.DROPPED_SHINGLES;
            case BAD_EXTENSION -> Counter.DROPPED_EXTENSION;
        });
        return 0;
    }

    /** The plain reply goes to where {@link Box#sealReply} wants it when there is a key; 0 if none is due now. */
    private int answer(Rules rules, long now, @Nullable KeyAccess access, byte[] bytes, int offset, int length,
            Carrier carrier,
            @Nullable SharedKey key, Peer from, byte[] out) {
        Parse parse = command.wrap(bytes, offset, length, carrier);
        if (parse != Parse.OK) {
            return drop(parse);
        }
        tally.increment(generation(command.epoch()));
        int at = key == null ? 0 : Protocol.REPLY_HEADER;
        reply.begin(command, out, at);
        // The same handlers from the beginning to the end of a command, whatever is put in force meanwhile.
        Hooks hooks = shared.hooks().acquire();
        try {
            return decide(rules, hooks, now, access, key, from);
        } finally {
            shared.hooks().release(hooks);
        }
    }

    private int decide(Rules rules, @Nullable Hooks hooks, long now, @Nullable KeyAccess access,
            @Nullable SharedKey key, Peer from) {
        FlagSet forbidden = rules.forbidden(access);
        ClientStatistics clients = access == null ? shared.statistics().unkeyed() : access.statistics();
        if (hooks != null && hooks.hasPre()) {
            int size = before(hooks, forbidden);
            if (size > 0) {
                return size;
            }
        }
        Verdict verdict = rules.judge(command, access, source, now);
        if (hooks != null) {
            tell(hooks, rules, verdict);
        }
        int size = switch (verdict) {
            case CHECK -> check(rules, hooks, forbidden, now);
            case STAT -> count(Counter.STATS).count(shared.hashes().size()).end();
            case PING -> result(Counter.PINGS, forbidden, command.value(), 1);
            case UPDATE -> update(forbidden, clients, key, from, now);
            case IGNORE -> result(Counter.UNKNOWN_COMMANDS, forbidden, 0, 1);
            case DROP_LIMITED -> drop(Counter.DROPPED_LIMITED);
            case DROP_AMPLIFYING -> drop(Counter.DROPPED_AMPLIFYING);
            case RATE_LIMITED -> count(Counter.RATE_LIMITED)
                    .result(forbidden.contains(0) ? 0 : ErrorCode.RATE_LIMITED, 0, 0).end();
            case ENCRYPTION_REQUIRED -> result(Counter.ENCRYPTION_REQUIRED, forbidden, ErrorCode.ENCRYPTION_REQUIRED,
                    0);
            case BLOCKED -> result(Counter.BLOCKED, forbidden, rules.blockCode(source), 0);
            case KEY_EXPIRED -> result(Counter.KEY_EXPIRED, forbidden, ErrorCode.FORBIDDEN, 0);
            case KEY_CANNOT_READ -> result(Counter.KEY_CANNOT_READ, forbidden, ErrorCode.FORBIDDEN, 0);
            case FORBIDDEN -> result(Counter.FORBIDDEN, forbidden, ErrorCode.FORBIDDEN, 0);
            case SKIPPED -> result(Counter.SKIPPED, forbidden, ErrorCode.SKIPPED, 0);
        };
        if (key == null && (size > 0 || verdict == Verdict.UPDATE) && Rules.isAmplified(command, source)) {
            tally.increment(Counter.AMPLIFIED);
        }
        if (size > 0) {
            recorder.reply(clients, source.high(), source.low(), command.epoch(), command.code(),
                    command.hasShingles(), reply.flag(), reply.value(), reply.probability());
        }
        return size;
    }

    /**
     * What a handler answers before anything else is looked at (docs/reference/storage.md#order-of-decisions, 3); 0 if
     * none does.
     */
    private int before(Hooks hooks, FlagSet forbidden) {
        return switch (hooks.before(command, source)) {
            case HookVerdict.Continue _ -> 0;
            case HookVerdict.Answer answer -> result(Counter.HOOK_ANSWERED, forbidden, (int) answer.value(),
                    (float) answer.probability());
            case HookVerdict.Refuse _ -> result(Counter.HOOK_FAILED, forbidden, HookVerdict.REFUSED_VALUE, 0);
        };
    }

    private void tellBlocked(Rules rules, @Nullable Command asked) {
        Hooks hooks = shared.hooks().acquire();
        if (hooks != null) {
            hooks.refused(source, rules.isBlocked(source) ? "blacklisted" : "dynamic_blocked", "blacklist", null,
                    asked);
            shared.hooks().release(hooks);
        }
    }

    private void tell(Hooks hooks, Rules rules, Verdict verdict) {
        if (verdict == Verdict.BLOCKED) {
            tellBlocked(rules, command);
        } else if (verdict == Verdict.RATE_LIMITED || verdict == Verdict.DROP_LIMITED) {
            NetworkLimit limit = rules.access().limits().network();
            hooks.refused(source, "ratelimit", source.isFirstOver() ? "new" : "existing", limit == null
                    ? null
                    : new BlockInfo(limit.limit().burst(), true, limit.limit().burst(), limit.limit().rate(), 0,
                            shared.hashes().now() / 1000.0),
                    command);
        }
    }

    private int drop(Counter counter) {
        tally.increment(counter);
        return 0;
    }

    private static Counter generation(Epoch epoch) {
        return switch (epoch) {
            case V0_6 -> Counter.GENERATION_0_6;
            case V0_8 -> Counter.GENERATION_0_8;
            case V0_9 -> Counter.GENERATION_0_9;
            case V1_0 -> Counter.GENERATION_1_0;
            case V1_7 -> Counter.GENERATION_1_7;
            case V4_0 -> Counter.GENERATION_4_0;
        };
    }

    private ReplyWriter count(Counter counter) {
        tally.increment(counter);
        return reply;
    }

    /**
     * A reply with the request's flag, or with nothing if the client may not see that
     * (docs/reference/storage.md#forbidden-flags).
     */
    private int result(Counter counter, FlagSet forbidden, int value, float probability) {
        tally.increment(counter);
        if (forbidden.contains(command.flag())) {
            tally.increment(Counter.HIDDEN);
            return reply.result(0, 0, 0).end();
        }
        return reply.result(value, command.flag(), probability).end();
    }

    private int check(Rules rules, @Nullable Hooks hooks, FlagSet forbidden, long now) {
        tally.increment(Counter.CHECKS);
        Digest.readWords(command.bytes(), command.digestOffset(), lookup.digest());
        lookup.hasShingles(command.hasShingles());
        if (command.hasShingles()) {
            command.copyShingles(lookup.shingles(), 0);
        }
        boolean hit = shared.hashes().find(lookup, now);
        Match match = lookup.match();
        if (hooks != null && hooks.hasPost()) {
            int size = after(hooks, rules, forbidden, hit ? match : null);
            if (size > 0) {
                return size;
            }
        }
        if (!hit) {
            return reply.result(0, 0, 0).end();
        }
        tally.increment(match.isExact() ? Counter.EXACT_HITS : Counter.SIMILAR_HITS);
        match.copyDigest(digest);
        reply.digest(digest, 0);
        boolean skipped = isSkipped(rules, match);
        if (!skipped && match.equalSlots() >= STRONG && shared.hashes().expireSeconds() > 0 && rules.renews()) {
            refreshIfOld(match, shared.hashes().recordedSeconds(now));
        }
        double delay = rules.delaySeconds(source, chance.nextDouble());
        double youngest = delay > 0 ? now / 1000.0 - delay : Double.POSITIVE_INFINITY;
        return found(rules, forbidden, match, skipped, youngest);
    }

    /** What a handler makes of the result of a check, as it is before anything is kept back; 0 if it leaves it. */
    private int after(Hooks hooks, Rules rules, FlagSet forbidden, @Nullable Match match) {
        int flag = 0;
        int value = 0;
        long time = 0;
        float probability = 0;
        command.copyDigest(digest, 0);
        if (match != null) {
            match.copyDigest(digest);
            flags.choose(match, rules.weak(), Double.POSITIVE_INFINITY);
            int primary = flags.isEmpty() ? 0 : flags.at(0);
            flag = match.flag(primary);
            value = (int) match.value(primary);
            time = match.time(primary);
            probability = match.equalSlots() / (float) Signature.SLOTS;
        }
        HookVerdict verdict = hooks.after(command, source, digest, value, probability, flag, time);
        if (verdict instanceof HookVerdict.Continue) {
            return 0;
        }
        reply.digest(digest, 0);
        if (verdict instanceof HookVerdict.Answer answer) {
            tally.increment(Counter.HOOK_ANSWERED);
            int shown = (int) answer.flag().orElse(flag);
            if (forbidden.contains(shown)) {
                tally.increment(Counter.HIDDEN);
                return reply.result(0, 0, 0).end();
            }
            return reply.result((int) answer.value(), shown, (float) answer.probability()).time((int) time).end();
        }
        return result(Counter.HOOK_FAILED, forbidden, HookVerdict.REFUSED_VALUE, 0);
    }

    /**
     * The reply to a check that found something, with what the client may see of it
     * (docs/reference/storage.md#after-a-match, docs/reference/storage.md#forbidden-flags).
     */
    private int found(Rules rules, FlagSet forbidden, Match match, boolean skipped, double youngest) {
        boolean multi = command.epoch().reply() == ReplyLayout.MULTI_FLAG;
        flags.choose(match, rules.weak(), youngest);
        if (skipped || flags.isEmpty()) {
            tally.increment(skipped ? Counter.MATCHES_SKIPPED : Counter.DELAYED);
            int primary = flags.isEmpty() ? 0 : flags.at(0);
            if (forbidden.contains(match.flag(primary))) {
                tally.increment(Counter.HIDDEN);
                return reply.result(0, 0, 0).end();
            }
            return reply.result(skipped ? ErrorCode.SKIPPED : 0, match.flag(primary), 0)
                    .time(skipped ? (int) match.time(primary) : 0).end();
        }
        if (multi) {
            flags.remove(match, forbidden);
        }
        if (flags.isEmpty() || forbidden.contains(match.flag(flags.at(0)))) {
            tally.increment(Counter.HIDDEN);
            // Rspamd leaves the mark in the middle layout, and takes it away in the longest one: clients see the same.
            return (multi ? reply : reply.matched()).result(0, 0, 0).end();
        }
        int primary = flags.at(0);
        // Values have 64 bits in the storage and 32 on the wire: the upper half is cut off
        // (docs/reference/protocol.md#reply-fields).
        reply.result((int) match.value(primary), match.flag(primary), match.equalSlots() / (float) Signature.SLOTS)
                .time((int) match.time(primary)).matched();
        for (int i = 1; i < flags.size(); i++) {
            reply.extra((int) match.value(flags.at(i)), match.flag(flags.at(i)));
        }
        return reply.end();
    }

    private boolean isSkipped(Rules rules, Match match) {
        if (match.value(0) <= 0) {
            return false;
        }
        for (int i = 0; i < words.length; i++) {
            words[i] = match.digestWord(i);
        }
        return rules.skipped(words);
    }

    /** A hash that goes on being seen must not expire. Said a few times in its life, not for each check. */
    private void refreshIfOld(Match match, long now) {
        if (now - Math.max(match.time(0), match.renewed()) <= shared.hashes().expireSeconds() / REFRESHES) {
            return;
        }
        boolean offered = shared.hashes().offerRefresh(new QueuedUpdate(
                new Update.Refresh(Digest.read(digest, 0), now), UpdateOrigin.STORAGE, QueuedUpdate.Outcome.NOBODY));
        tally.increment(offered ? Counter.REFRESHES : Counter.REFRESHES_SKIPPED);
    }

    private int update(FlagSet forbidden, ClientStatistics clients, @Nullable SharedKey key, Peer from, long now) {
        boolean write = command.code() == CommandCode.WRITE;
        Digest.readWords(command.bytes(), command.digestOffset(), words);
        Digest name = Digest.ofWords(words, 0);
        Update update = write
                ? new Update.Write(name, command.flag(), command.value(), shared.hashes().recordedSeconds(now),
                        signature())
                : delete(name, command.flag());
        LateReply later = new LateReply(shared.lateReplies(), command, name, key, from.keep(),
                new LateReply.Client(clients, source.high(), source.low(), forbidden.contains(command.flag())));
        UpdateOrigin origin = new UpdateOrigin(from.address(), from.port(), command.tag(),
                key == null ? null : box.serverKey().publicKey().bytes(),
                shared.submissions().find(name, command.tag()));
        if (shared.hashes().offer(new QueuedUpdate(update, origin, later))) {
            tally.increment(write ? Counter.WRITES : Counter.DELETES);
            return 0;
        }
        return result(Counter.QUEUE_FULL, forbidden, ErrorCode.FORBIDDEN, 0);
    }

    /** Flag 0 is what {@code rspamc fuzzy_delhash} sends: it knows the digest and not its flags. */
    private static Update delete(Digest name, int flag) {
        return flag == 0 ? new Update.DeleteAll(name) : new Update.Delete(name, flag);
    }

    private @Nullable Signature signature() {
        if (!command.hasShingles()) {
            return null;
        }
        command.copyShingles(lookup.shingles(), 0);
        return Signature.of(lookup.shingles(), 0);
    }
}
