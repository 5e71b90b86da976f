package dev.weir.storage.server;

import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.weir.storage.Digest;
import dev.weir.storage.Signature;
import dev.weir.storage.Update;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.index.Match;
import dev.weir.storage.log.Origin;
import dev.weir.storage.queue.PendingUpdate;
import dev.weir.storage.queue.UpdateQueue;
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
import dev.weir.wire.ReplyWriter;
import dev.weir.wire.ServerKeys;
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

    /** Equal slots from which on a match renews a hash: a probability above 0.9 (storage.md 1.4). */
    private static final int STRONG = 29;

    /** How often a hash that is seen all the time is renewed before it would expire. */
    private static final int REFRESHES = 24;

    /** What all handlers of a server share. */
    record Shared(HashIndex index, UpdateQueue queue, Gate gate, ServerKeys keys, LateReplies lateReplies,
            long expireSeconds, InstantSource clock, Counters counters) {}

    private final Shared shared;
    private final Tally tally;
    private final Box box;
    private final AgreementBudget agreements;
    private final Command command = new Command(Generation.all());
    private final ReplyWriter reply = new ReplyWriter();
    private final Lookup lookup = new Lookup();
    private final byte[] digest = new byte[Digest.BYTES];

    CommandHandler(Shared shared, Box box, AgreementBudget agreements) {
        this.agreements = agreements;
        this.shared = shared;
        this.tally = shared.counters().newTally();
        this.box = box;
    }

    @Override
    public int handle(byte[] datagram, int length, Peer from, byte[] out) {
        tally.increment(Counter.RECEIVED);
        boolean stream = from.transport().isStream();
        try {
            if (!Box.isRequest(datagram, 0, length)) {
                return answer(datagram, 0, length, stream ? Carrier.FRAME : Carrier.DATAGRAM, null, from, out);
            }
            Opened opened = box.openKnown(shared.keys(), datagram, 0, length);
            if (opened == Opened.NEW_KEY && agreements.take()) {
                opened = box.open(shared.keys(), datagram, 0, length);
            }
            if (opened != Opened.OK) {
                return drop(opened);
            }
            tally.increment(Counter.ENCRYPTED);
            SharedKey key = box.sharedKey();
            int size = answer(datagram, box.plainOffset(), box.plainLength(),
                    stream ? Carrier.BOXED_FRAME : Carrier.BOXED_DATAGRAM, key, from, out);
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
        tally.increment(switch (reason) {
            case NO_KEY -> Counter.DROPPED_NO_KEY;
            case NEW_KEY -> Counter.DROPPED_NEW_KEYS;
            case WEAK_KEY -> Counter.DROPPED_WEAK_KEY;
            case OK, NOT_A_BOX, BAD_MAC -> Counter.DROPPED_MAC;
        });
        return 0;
    }

    private int drop(Parse reason) {
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
    private int answer(byte[] bytes, int offset, int length, Carrier carrier, @Nullable SharedKey key, Peer from,
            byte[] out) {
        Parse parse = command.wrap(bytes, offset, length, carrier);
        if (parse != Parse.OK) {
            return drop(parse);
        }
        tally.increment(generation(command.epoch()));
        int at = key == null ? 0 : Protocol.REPLY_HEADER;
        return switch (shared.gate().judge(command, key != null, from)) {
            case CHECK -> check(out, at);
            case STAT -> count(Counter.STATS).begin(command, out, at).count(shared.index().size()).end();
            case PING -> count(Counter.PINGS).begin(command, out, at).result(command.value(), command.flag(), 1).end();
            case UPDATE -> update(key, from, out, at);
            case IGNORE -> count(Counter.UNKNOWN_COMMANDS).begin(command, out, at).accepted().end();
            case ENCRYPTION_REQUIRED -> count(Counter.ENCRYPTION_REQUIRED).begin(command, out, at)
                    .error(ErrorCode.ENCRYPTION_REQUIRED).end();
            case FORBIDDEN -> count(Counter.FORBIDDEN).begin(command, out, at).error(ErrorCode.FORBIDDEN).end();
        };
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

    private int check(byte[] out, int at) {
        tally.increment(Counter.CHECKS);
        Digest.readWords(command.bytes(), command.digestOffset(), lookup.digest());
        lookup.hasShingles(command.hasShingles());
        if (command.hasShingles()) {
            command.copyShingles(lookup.shingles(), 0);
        }
        reply.begin(command, out, at);
        if (!shared.index().find(lookup, oldest())) {
            return reply.result(0, 0, 0).end();
        }
        Match match = lookup.match();
        tally.increment(match.isExact() ? Counter.EXACT_HITS : Counter.SIMILAR_HITS);
        match.copyDigest(digest);
        if (match.equalSlots() >= STRONG && shared.expireSeconds() > 0) {
            refreshIfOld(match);
        }
        // Values have 64 bits in the storage and 32 on the wire: the upper half is cut off (wire.md 4.5).
        reply.result((int) match.value(0), match.flag(0), match.equalSlots() / (float) Signature.SLOTS)
                .digest(digest, 0).time((int) match.time(0)).matched();
        int extras = Math.min(match.flagCount() - 1, Protocol.MAX_EXTRA_FLAGS);
        for (int i = 1; i <= extras; i++) {
            reply.extra((int) match.value(i), match.flag(i));
        }
        return reply.end();
    }

    /** A hash that goes on being seen must not expire. Said a few times in its life, not for each check. */
    private void refreshIfOld(Match match) {
        long now = now();
        if (now - Math.max(match.time(0), match.renewed()) <= shared.expireSeconds() / REFRESHES) {
            return;
        }
        boolean offered = shared.queue().hasRoomForRefresh() && shared.queue().offer(new PendingUpdate(
                new Update.Refresh(Digest.read(digest, 0), now), Origin.STORAGE, PendingUpdate.Outcome.NOBODY));
        tally.increment(offered ? Counter.REFRESHES : Counter.REFRESHES_SKIPPED);
    }

    private long oldest() {
        return shared.expireSeconds() <= 0 ? Long.MIN_VALUE : now() - shared.expireSeconds();
    }

    private long now() {
        return shared.clock().millis() / 1000;
    }

    private int update(@Nullable SharedKey key, Peer from, byte[] out, int at) {
        Digest name = Digest.read(command.bytes(), command.digestOffset());
        boolean write = command.code() == CommandCode.WRITE;
        Update update = write
                ? new Update.Write(name, command.flag(), command.value(), now(), signature())
                : delete(name, command.flag());
        LateReply later = new LateReply(shared.lateReplies(), command, name, key, from.keep());
        Origin origin = new Origin(from.address(), from.port(), command.tag(),
                key == null ? null : box.serverKey().publicKey().bytes());
        if (shared.queue().offer(new PendingUpdate(update, origin, later))) {
            tally.increment(write ? Counter.WRITES : Counter.DELETES);
            return 0;
        }
        return count(Counter.QUEUE_FULL).begin(command, out, at).error(ErrorCode.FORBIDDEN).end();
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
