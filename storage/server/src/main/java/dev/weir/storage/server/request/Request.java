package dev.weir.storage.server.request;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.gate.KeyAccess;
import dev.weir.storage.access.gate.Rules;
import dev.weir.storage.access.gate.Source;
import dev.weir.storage.hooks.Hooks;
import dev.weir.storage.server.reply.Peer;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.ThreadCounters;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.command.Carrier;
import dev.weir.wire.command.Command;
import dev.weir.wire.reply.ReplyWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The current request of a thread, with its source, the rules that apply, and the reply. Each thread reuses one
 * instance for all requests.
 */
final class Request {
    private static final Logger LOG = LoggerFactory.getLogger(Request.class);
    private static final AtomicBoolean OTHER_SHINGLES_LOGGED = new AtomicBoolean();

    final Command command = new Command(Generation.all());
    final ReplyWriter reply = new ReplyWriter();
    final Source source = new Source();
    private final ThreadCounters tally;
    private Rules rules;
    private long now;
    private @Nullable Peer peer;
    private @Nullable KeyAccess access;
    private @Nullable SharedKey key;
    private @Nullable Hooks hooks;
    private FlagSet forbidden = FlagSet.none();

    Request(Rules rules, ThreadCounters tally) {
        this.rules = rules;
        this.tally = tally;
    }

    /**
     * Begins a request.
     *
     * @param inForce the rules that apply to the whole request
     * @param from the sender
     * @param millis the current time in milliseconds since the epoch
     */
    void begin(Rules inForce, Peer from, long millis) {
        rules = inForce;
        now = millis;
        peer = from;
        access = null;
        key = null;
        from.describe(source);
    }

    /** Marks the request as decrypted with a key. */
    void decrypted(KeyAccess opened, SharedKey shared) {
        access = opened;
        key = shared;
    }

    /**
     * Begins the reply to the decoded request.
     *
     * @param inForce the hooks that apply to the whole request
     * @param out the array for the reply; the reply to an encrypted request begins where {@code Box#sealReply} expects
     *            it
     */
    void beginReply(@Nullable Hooks inForce, byte[] out) {
        hooks = inForce;
        forbidden = rules.forbidden(access);
        reply.begin(command, out, key == null ? 0 : Protocol.REPLY_HEADER);
    }

    Rules rules() {
        return rules;
    }

    /** Returns the time of the request in milliseconds since the epoch. */
    long now() {
        return now;
    }

    Peer peer() {
        return Objects.requireNonNull(peer);
    }

    /** Returns the rules of the key that decrypted the request, or null for a plain request. */
    @Nullable
    KeyAccess access() {
        return access;
    }

    /** Returns the key that encrypts the reply, or null for a plain request. */
    @Nullable
    SharedKey key() {
        return key;
    }

    @Nullable
    Hooks hooks() {
        return hooks;
    }

    /** Returns the flags hidden from the client. */
    FlagSet forbidden() {
        return forbidden;
    }

    Carrier carrier() {
        if (key == null) {
            return source.isStream() ? Carrier.FRAME : Carrier.DATAGRAM;
        }
        return source.isStream() ? Carrier.BOXED_FRAME : Carrier.BOXED_DATAGRAM;
    }

    /** Increments a counter. */
    void count(Counter counter) {
        tally.increment(counter);
    }

    /**
     * Counts a hash whose shingles are others than those that are stored for its digest. Similar texts are then not
     * found (docs/operate/operating.md#when-something-is-wrong). The first one is logged.
     */
    void countOtherShingles() {
        tally.increment(Counter.OTHER_SHINGLES);
        if (OTHER_SHINGLES_LOGGED.compareAndSet(false, true)) {
            LOG.warn("a client makes other shingles of a text than the client that learned it: their rules differ in "
                    + "algorithm or fuzzy_shingles_key, so neither finds texts similar to those of the other; weir "
                    + "doctor names the rule; further such requests are only counted");
        }
    }

    /** Ends the request without a reply. */
    int drop(Counter counter) {
        tally.increment(counter);
        return 0;
    }

    /**
     * Ends the request with a reply for its flag, or with an empty result if that flag is hidden
     * (docs/reference/storage.md#forbidden-flags).
     */
    int answer(Counter counter, int value, float probability) {
        tally.increment(counter);
        if (forbidden.contains(command.flag())) {
            return hide();
        }
        return reply.result(value, command.flag(), probability).end();
    }

    /** Ends the request with an empty result because the flag is hidden. */
    int hide() {
        tally.increment(Counter.HIDDEN);
        return answerNothing();
    }

    /** Ends the request with an empty result. */
    int answerNothing() {
        return reply.result(0, 0, 0).end();
    }
}
