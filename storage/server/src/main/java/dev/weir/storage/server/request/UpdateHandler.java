package dev.weir.storage.server.request;

import dev.weir.model.Digest;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.access.gate.KeyAccess;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.server.reply.LateReplies;
import dev.weir.storage.server.reply.LateReply;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.stats.ClientStatistics;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.reply.ErrorCode;
import org.jspecify.annotations.Nullable;

/** The handler of updates for one receiving thread. It queues updates; their replies are sent later. */
final class UpdateHandler {
    private final LiveHashes hashes;
    private final LateReplies lateReplies;
    private final AnnouncedSubmitters submissions;
    private final Request request;
    private final Lookup lookup = new Lookup();
    private final long[] words = new long[Digest.WORDS];
    private final long[] shingles = new long[Signature.SLOTS];

    UpdateHandler(CommandHandler.Shared shared, Request request) {
        this.hashes = shared.hashes();
        this.lateReplies = shared.lateReplies();
        this.submissions = shared.submissions();
        this.request = request;
        lookup.hasShingles(true);
        lookup.compares(true);
        // A search for similar signatures would cost more than all other work on an update.
        lookup.exactOnly(true);
    }

    /**
     * Queues an update.
     *
     * @return the length of a refusal, or 0 if the reply is sent later
     */
    int queue(ClientStatistics clients) {
        boolean write = request.command.code() == CommandCode.WRITE;
        int flag = request.command.flag();
        Digest.readWords(request.command.bytes(), request.command.digestOffset(), words);
        Digest name = Digest.ofWords(words, 0);
        Update update = write
                ? new Update.Write(name, flag, request.command.value(), hashes.recordedSeconds(request.now()),
                        signature())
                : delete(name, flag);
        LateReply later = new LateReply(lateReplies, request.command, name, request.key(), request.peer().keep(),
                new LateReply.Client(clients, request.source.high(), request.source.low(),
                        request.forbidden().contains(flag)));
        if (write && request.command.hasShingles() && hasOtherShingles(name)) {
            request.countOtherShingles();
        }
        if (hashes.offer(new QueuedUpdate(update, origin(name), later))) {
            request.count(write ? Counter.WRITES : Counter.DELETES);
            return 0;
        }
        // Not the code of a missing permission: the client may try this update again later.
        return request.answer(Counter.QUEUE_FULL, ErrorCode.INTERNAL, 0);
    }

    /** Returns whether the hash is stored with a signature from another algorithm or key. */
    private boolean hasOtherShingles(Digest name) {
        name.copyTo(lookup.digest(), 0);
        System.arraycopy(shingles, 0, lookup.shingles(), 0, shingles.length);
        return hashes.find(lookup, request.now()) && lookup.match().hasOtherShingles();
    }

    private UpdateOrigin origin(Digest name) {
        KeyAccess access = request.access();
        return new UpdateOrigin(request.peer().address(), request.peer().port(), request.command.tag(),
                access == null ? null : access.publicKey().bytes(), submissions.find(name, request.command.tag()));
    }

    /**
     * Returns a deletion of one flag, or of all flags for flag 0. {@code rspamc fuzzy_delhash} sends flag 0 because it
     * does not know the flags of a digest.
     */
    private static Update delete(Digest name, int flag) {
        return flag == 0 ? new Update.DeleteAll(name) : new Update.Delete(name, flag);
    }

    private @Nullable Signature signature() {
        if (!request.command.hasShingles()) {
            return null;
        }
        request.command.copyShingles(shingles, 0);
        Signature signature = Signature.of(shingles, 0);
        Command command = request.command;
        return command.hasSides()
                ? signature.withSides(
                        new HtmlSides(command.allDomains(), command.ctaDomains(), command.features()))
                : signature;
    }
}
