package dev.weir.storage.server.request;

import java.util.Objects;

import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.gate.KeyAccess;
import dev.weir.storage.access.gate.Rules;
import dev.weir.storage.access.gate.Source;
import dev.weir.storage.hooks.Hooks;
import dev.weir.storage.server.reply.Peer;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.Tally;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.command.Carrier;
import dev.weir.wire.command.Command;
import dev.weir.wire.reply.ReplyWriter;
import org.jspecify.annotations.Nullable;

/**
 * The request that a thread is answering: who asks, under which rules, and where the reply goes. One object serves all
 * requests of a thread, one after the other.
 */
final class Request {
    final Command command = new Command(Generation.all());
    final ReplyWriter reply = new ReplyWriter();
    final Source source = new Source();
    private final Tally tally;
    private Rules rules;
    private long now;
    private @Nullable Peer peer;
    private @Nullable KeyAccess access;
    private @Nullable SharedKey key;
    private @Nullable Hooks hooks;
    private FlagSet forbidden = FlagSet.none();

    Request(Rules rules, Tally tally) {
        this.rules = rules;
        this.tally = tally;
    }

    /**
     * Begins with another request.
     *
     * @param inForce the rules that hold for it to its end
     * @param millis the time of day
     */
    void begin(Rules inForce, Peer from, long millis) {
        rules = inForce;
        now = millis;
        peer = from;
        access = null;
        key = null;
        from.describe(source);
    }

    /** The request was encrypted, and a key has opened it. */
    void decrypted(KeyAccess opened, SharedKey shared) {
        access = opened;
        key = shared;
    }

    /**
     * Begins with the reply, since the request could be read.
     *
     * @param inForce the hooks that hold for it to its end
     * @param out gets the reply where {@code Box#sealReply} wants it if the request was encrypted
     */
    void beginReply(@Nullable Hooks inForce, byte[] out) {
        hooks = inForce;
        forbidden = rules.forbidden(access);
        reply.begin(command, out, key == null ? 0 : Protocol.REPLY_HEADER);
    }

    Rules rules() {
        return rules;
    }

    /** Returns the time of day, in milliseconds since 1970. */
    long now() {
        return now;
    }

    Peer peer() {
        return Objects.requireNonNull(peer);
    }

    /** Returns the rules of the key that opened the request; null for a plain one. */
    @Nullable
    KeyAccess access() {
        return access;
    }

    /** Returns the key to encrypt the reply with; null for a plain one. */
    @Nullable
    SharedKey key() {
        return key;
    }

    @Nullable
    Hooks hooks() {
        return hooks;
    }

    /** Returns the flags that the client may not see. */
    FlagSet forbidden() {
        return forbidden;
    }

    Carrier carrier() {
        if (key == null) {
            return source.isStream() ? Carrier.FRAME : Carrier.DATAGRAM;
        }
        return source.isStream() ? Carrier.BOXED_FRAME : Carrier.BOXED_DATAGRAM;
    }

    /** Counts the request. */
    void count(Counter counter) {
        tally.increment(counter);
    }

    /** Ends it without a reply. */
    int drop(Counter counter) {
        tally.increment(counter);
        return 0;
    }

    /**
     * Ends it with the request's flag, or with nothing if the client may not see that
     * (docs/reference/storage.md#forbidden-flags).
     */
    int answer(Counter counter, int value, float probability) {
        tally.increment(counter);
        if (forbidden.contains(command.flag())) {
            return hide();
        }
        return reply.result(value, command.flag(), probability).end();
    }

    /** Ends it with nothing, because the client may not see the flag. */
    int hide() {
        tally.increment(Counter.HIDDEN);
        return answerNothing();
    }

    /** Ends it with nothing. */
    int answerNothing() {
        return reply.result(0, 0, 0).end();
    }
}
