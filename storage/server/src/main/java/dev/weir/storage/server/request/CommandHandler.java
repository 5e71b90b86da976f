package dev.weir.storage.server.request;

import java.util.concurrent.atomic.AtomicBoolean;

import dev.weir.lua.hooks.BlockInfo;
import dev.weir.lua.hooks.HookVerdict;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.gate.Gate;
import dev.weir.storage.access.gate.KeyAccess;
import dev.weir.storage.access.gate.Rules;
import dev.weir.storage.access.gate.Verdict;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.hits.HitSampler;
import dev.weir.storage.hooks.Hooks;
import dev.weir.storage.hooks.HooksInForce;
import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.reply.LateReplies;
import dev.weir.storage.server.reply.Peer;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.Counters;
import dev.weir.storage.stats.ClientStatistics;
import dev.weir.storage.stats.Recorder;
import dev.weir.storage.stats.Statistics;
import dev.weir.storage.waves.Waves;
import dev.weir.wire.ProtocolVersion;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.Opened;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.Parse;
import dev.weir.wire.reply.ErrorCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handler of requests for one receiving thread: it decrypts, decodes, judges, answers, and encrypts. All objects
 * for a check are allocated up front; a check neither allocates nor locks.
 */
public final class CommandHandler implements DatagramHandler {
    private static final Logger LOG = LoggerFactory.getLogger(CommandHandler.class);
    private static final AtomicBoolean DEFECT_LOGGED = new AtomicBoolean();

    /**
     * The objects that all handlers of a server share.
     *
     * @param waves counts checks without a hit; null if the configuration has none
     */
    public record Shared(LiveHashes hashes, Gate gate, LateReplies lateReplies, HooksInForce hooks, Counters counters,
            Statistics statistics, AnnouncedSubmitters submissions, HitSampler hits, @Nullable Waves waves) {}

    private final Shared shared;
    private final Box box;
    private final AgreementBudget agreements;
    private final Recorder recorder;
    private final Request request;
    private final CheckHandler checks;
    private final UpdateHandler updates;

    public CommandHandler(Shared shared, Box box, AgreementBudget agreements) {
        this.shared = shared;
        this.box = box;
        this.agreements = agreements;
        this.recorder = shared.statistics().newRecorder();
        this.request = new Request(shared.gate().rules(), shared.counters().newTally());
        Waves waves = shared.waves();
        this.checks = new CheckHandler(shared.hashes(), request, shared.hits().newRing(),
                waves == null ? null : waves.newRecorder());
        this.updates = new UpdateHandler(shared, request);
    }

    @Override
    public int handle(byte[] datagram, int length, Peer from, byte[] out) {
        request.count(Counter.RECEIVED);
        try {
            Rules rules = shared.gate().rules();
            request.begin(rules, from, shared.hashes().now());
            if (!request.source.isStream() && rules.refuses(request.source, request.now())) {
                reportBlocked(null);
                return request.drop(Counter.DROPPED_BLOCKED);
            }
            if (!Box.isRequest(datagram, 0, length)) {
                return answer(datagram, 0, length, out);
            }
            Opened opened = box.openKnown(rules.keys(), datagram, 0, length);
            if (opened == Opened.NEW_KEY && agreements.take(request.source)) {
                opened = box.open(rules.keys(), datagram, 0, length);
            }
            if (opened != Opened.OK) {
                return drop(opened);
            }
            request.count(Counter.ENCRYPTED);
            SharedKey key = box.sharedKey();
            request.decrypted(rules.key(box.serverKey().publicKey().wireId()), key);
            int size = answer(datagram, box.plainOffset(), box.plainLength(), out);
            return size == 0 ? 0 : box.sealReply(key, out, 0, size);
        } catch (RuntimeException e) {
            // A defect must not end the loop, and packets that trigger it must not fill the log.
            if (DEFECT_LOGGED.compareAndSet(false, true)) {
                LOG.error("cannot handle a request; further failures are only counted", e);
            }
            return request.drop(Counter.DROPPED_INTERNAL);
        }
    }

    private int drop(Opened reason) {
        if (reason != Opened.NEW_KEY) {
            invalid();
        }
        return request.drop(switch (reason) {
            case NO_KEY -> Counter.DROPPED_NO_KEY;
            case NEW_KEY -> Counter.DROPPED_NEW_KEYS;
            case ECHO -> Counter.DROPPED_ECHO;
            case WEAK_KEY -> Counter.DROPPED_WEAK_KEY;
            case OK, NOT_A_BOX, BAD_MAC -> Counter.DROPPED_MAC;
        });
    }

    /**
     * Records the source of a malformed datagram. Errors over connections are not recorded, as their addresses cannot
     * be forged (docs/reference/protocol.md#frames).
     */
    private void invalid() {
        if (!request.source.isStream()) {
            recorder.invalid(request.source.high(), request.source.low());
        }
    }

    private int drop(Parse reason) {
        invalid();
        return request.drop(switch (reason) {
            case TOO_SHORT -> Counter.DROPPED_TOO_SHORT;
            case OK, BAD_VERSION, NOT_ACCEPTED -> Counter.DROPPED_VERSION;
            case BAD_LENGTH -> Counter.DROPPED_LENGTH;
            case MISSING_SHINGLES -> Counter.DROPPED_SHINGLES;
            case BAD_EXTENSION -> Counter.DROPPED_EXTENSION;
        });
    }

    /**
     * Answers a request and returns the length of the reply, or 0 if none is due now. With a key, the plain reply
     * begins where {@link Box#sealReply} expects it.
     */
    private int answer(byte[] bytes, int offset, int length, byte[] out) {
        Parse parse = request.command.wrap(bytes, offset, length, request.carrier());
        if (parse != Parse.OK) {
            return drop(parse);
        }
        request.count(generation(request.command.epoch()));
        // A command uses the same hooks throughout, even if others come into force meanwhile.
        Hooks hooks = shared.hooks().acquire();
        try {
            request.beginReply(hooks, out);
            return decide(hooks);
        } finally {
            shared.hooks().release(hooks);
        }
    }

    private int decide(@Nullable Hooks hooks) {
        if (hooks != null && hooks.hasPre()) {
            int size = before(hooks);
            if (size > 0) {
                return size;
            }
        }
        Verdict verdict = request.rules().judge(request.command, request.access(), request.source, request.now());
        if (hooks != null) {
            report(hooks, verdict);
        }
        KeyAccess access = request.access();
        ClientStatistics clients = access == null ? shared.statistics().unkeyed() : access.statistics();
        int size = carryOut(verdict, clients);
        if (request.key() == null && (size > 0 || verdict == Verdict.UPDATE)
                && Rules.isAmplified(request.command, request.source)) {
            request.count(Counter.AMPLIFIED);
        }
        if (size > 0) {
            recorder.reply(clients, request.source.high(), request.source.low(), request.command.epoch(),
                    request.command.code(), request.command.hasShingles(), request.reply.flag(),
                    request.reply.value(), request.reply.probability());
        }
        return size;
    }

    private int carryOut(Verdict verdict, ClientStatistics clients) {
        return switch (verdict) {
            case CHECK -> checks.check();
            case STAT -> countHashes();
            case PING -> ping();
            case UPDATE -> updates.queue(clients);
            case UNKNOWN_COMMAND -> request.answer(Counter.UNKNOWN_COMMANDS, ErrorCode.UNKNOWN_COMMAND, 0);
            case WRONG_SHINGLES -> request.answer(Counter.WRONG_SHINGLES, ErrorCode.WRONG_SHINGLES, 0);
            case DROP_LIMITED -> request.drop(Counter.DROPPED_LIMITED);
            case DROP_AMPLIFYING -> request.drop(Counter.DROPPED_AMPLIFYING);
            case RATE_LIMITED -> limit();
            case ENCRYPTION_REQUIRED -> request.answer(Counter.ENCRYPTION_REQUIRED, ErrorCode.ENCRYPTION_REQUIRED, 0);
            case BLOCKED -> request.answer(Counter.BLOCKED, request.rules().blockCode(request.source), 0);
            case KEY_EXPIRED -> request.answer(Counter.KEY_EXPIRED, ErrorCode.FORBIDDEN, 0);
            case KEY_CANNOT_READ -> request.answer(Counter.KEY_CANNOT_READ, ErrorCode.FORBIDDEN, 0);
            case FORBIDDEN -> request.answer(Counter.FORBIDDEN, ErrorCode.FORBIDDEN, 0);
            case SKIPPED -> request.answer(Counter.SKIPPED, ErrorCode.SKIPPED, 0);
        };
    }

    private int ping() {
        if (request.command.asksCapabilities()) {
            request.reply.capabilities();
        }
        return request.answer(Counter.PINGS, request.command.value(), 1);
    }

    private int countHashes() {
        request.count(Counter.STATS);
        return request.reply.count(shared.hashes().size()).end();
    }

    private int limit() {
        request.count(Counter.RATE_LIMITED);
        return request.reply.result(request.forbidden().contains(0) ? 0 : ErrorCode.RATE_LIMITED, 0, 0).end();
    }

    /**
     * Runs the hooks that precede all other decisions (step 3 of docs/reference/storage.md#order-of-decisions). Returns
     * the length of a hook's reply, or 0.
     */
    private int before(Hooks hooks) {
        return switch (hooks.before(request.command, request.source)) {
            case HookVerdict.Continue _ -> 0;
            case HookVerdict.Answer answer ->
                request.answer(Counter.HOOK_ANSWERED, (int) answer.value(), (float) answer.probability());
            case HookVerdict.Refuse _ -> request.answer(Counter.HOOK_FAILED, HookVerdict.REFUSED_VALUE, 0);
        };
    }

    private void reportBlocked(@Nullable Command asked) {
        Hooks hooks = shared.hooks().acquire();
        if (hooks != null) {
            hooks.refused(request.source,
                    request.rules().isBlocked(request.source) ? "blacklisted" : "dynamic_blocked", "blacklist", null,
                    asked);
            shared.hooks().release(hooks);
        }
    }

    private void report(Hooks hooks, Verdict verdict) {
        if (verdict == Verdict.BLOCKED) {
            reportBlocked(request.command);
        } else if (verdict == Verdict.RATE_LIMITED || verdict == Verdict.DROP_LIMITED) {
            NetworkLimit limit = request.rules().access().limits().network();
            hooks.refused(request.source, "ratelimit", request.source.isFirstOver() ? "new" : "existing", limit == null
                    ? null
                    : new BlockInfo(limit.limit().burst(), true, limit.limit().burst(), limit.limit().rate(), 0,
                            request.now() / 1000.0),
                    request.command);
        }
    }

    private static Counter generation(ProtocolVersion epoch) {
        return switch (epoch) {
            case V0_6 -> Counter.GENERATION_0_6;
            case V0_8 -> Counter.GENERATION_0_8;
            case V0_9 -> Counter.GENERATION_0_9;
            case V1_0 -> Counter.GENERATION_1_0;
            case V1_7 -> Counter.GENERATION_1_7;
            case V4_0 -> Counter.GENERATION_4_0;
        };
    }
}
