package dev.weir.scan;

import java.io.IOException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

import dev.weir.hash.FuzzyHash;
import dev.weir.model.failure.Reason;
import dev.weir.net.HostPort;
import dev.weir.scan.client.FuzzyClient;
import dev.weir.scan.client.GroupOptions;
import dev.weir.scan.client.Outcome;
import dev.weir.scan.client.Question;
import dev.weir.scan.client.ServerGroup;
import dev.weir.scan.rule.TcpOptions;
import dev.weir.scan.upstream.KnownAddress;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.wire.ReplyLayout;
import dev.weir.wire.key.PublicKey;
import dev.weir.wire.reply.Reply;

/**
 * A blocking client that measures and examines one storage over UDP, in plain text or encrypted. Safe for any number of
 * threads.
 */
public final class StorageClient implements AutoCloseable {
    private final HostPort address;
    private final Optional<PublicKey> key;
    private final Duration timeout;
    private final FuzzyClient client;
    private final ServerGroup group;

    private StorageClient(HostPort address, Optional<PublicKey> key, Duration timeout, FuzzyClient client,
            ServerGroup group) {
        this.address = address;
        this.key = key;
        this.timeout = timeout;
        this.client = client;
        this.group = group;
    }

    /**
     * Opens a client of the storage without sending anything.
     *
     * @param key the public key of the storage; empty for plain text
     * @param timeout how long each attempt waits for replies, more than zero
     * @param retransmits the number of attempts after the first, 0 or more
     * @throws UpstreamException if the host is unknown, the key is unusable or the system has no sockets left
     */
    public static StorageClient open(HostPort address, Optional<PublicKey> key, Duration timeout, int retransmits)
            throws UpstreamException {
        FuzzyClient client;
        try {
            client = FuzzyClient.openQuiet(KnownAddress.of(address.host()));
        } catch (UnknownHostException e) {
            throw new UpstreamException(UpstreamException.Kind.NO_ANSWER,
                    "the host " + address.host() + " is not known", e);
        } catch (IOException e) {
            throw new UpstreamException(UpstreamException.Kind.NO_ANSWER,
                    "no socket to " + address + ": " + Reason.of(e), e);
        }
        try {
            ServerGroup group = client.group(
                    new UpstreamList(UpstreamList.Selection.ROUND_ROBIN,
                            List.of(new UpstreamList.Host(address.host(), address.port(), 0))),
                    key, new GroupOptions(timeout, retransmits, Optional.empty(), TcpOptions.OFF));
            group.ready().join();
            return new StorageClient(address, key, timeout, client, group);
        } catch (IllegalArgumentException e) {
            client.close();
            throw new UpstreamException(UpstreamException.Kind.WRONG_KEY, String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns the address of the storage. */
    public HostPort address() {
        return address;
    }

    /**
     * Measures the response time of the storage.
     *
     * <p>Rspamd before 3.8 would take a ping for an update of an unknown kind. A storage that does not answer a stat
     * command in the format of Rspamd 4 is therefore not pinged; the result is then the response time of the stat
     * command.
     *
     * @throws UpstreamException if the storage refuses or does not answer
     */
    public Duration ping() throws UpstreamException {
        long start = System.nanoTime();
        Reply stat = stat();
        long answered = System.nanoTime();
        if (stat.layout() != ReplyLayout.MULTI_FLAG) {
            return Duration.ofNanos(answered - start);
        }
        Reply reply = exchange(List.of(Question.ping())).getFirst();
        if (!reply.isMatch()) {
            throw refusal(reply.value());
        }
        return Duration.ofNanos(System.nanoTime() - answered);
    }

    /**
     * Returns the number of digests in the storage.
     *
     * @throws UpstreamException if the storage refuses or does not answer
     */
    public long count() throws UpstreamException {
        return stat().count();
    }

    /**
     * Returns whether the storage finds a text by its likeness that it knows by its digest.
     *
     * @param hash a hash with shingles
     * @return false if the stored shingles are others, so that they come from another algorithm or key; empty if the
     *         storage does not know the digest
     * @throws UpstreamException if the storage does not answer
     */
    public Optional<Boolean> findsByLikeness(FuzzyHash hash) throws UpstreamException {
        if (!exchange(List.of(Question.check(hash.digest()))).getFirst().isMatch()) {
            return Optional.empty();
        }
        byte[] other = hash.digest();
        other[0] ^= 1;
        return Optional.of(exchange(List.of(Question.check(other, hash.shingles(), List.of()))).getFirst().isMatch());
    }

    private Reply stat() throws UpstreamException {
        Reply reply = exchange(List.of(Question.count())).getFirst();
        // A count of zero has probability zero too, so only a value that is an error code indicates a refusal.
        if (!reply.isMatch() && reply.value() != 0) {
            throw refusal(reply.value());
        }
        return reply;
    }

    /**
     * Sends all questions at once and returns their replies in the same order.
     *
     * @throws UpstreamException if all attempts for a question stay unanswered; the other answers are lost then
     */
    List<Reply> exchange(List<Question> questions) throws UpstreamException {
        if (questions.isEmpty()) {
            return List.of();
        }
        List<Outcome> outcomes;
        try {
            outcomes = client.ask(group, questions).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UpstreamException(UpstreamException.Kind.NO_ANSWER, "interrupted while waiting for " + address,
                    e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
        List<Reply> replies = new ArrayList<>(outcomes.size());
        for (Outcome outcome : outcomes) {
            Reply reply = outcome.reply();
            if (reply == null) {
                throw noAnswer(address, key, timeout, outcome.trouble());
            }
            replies.add(reply);
        }
        return replies;
    }

    /**
     * Returns the exception for a storage that does not answer. Asks it once without encryption, to distinguish an
     * absent storage from one with another key.
     *
     * @param trouble why there is no answer, in one sentence
     */
    public static UpstreamException noAnswer(HostPort address, Optional<PublicKey> key, Duration timeout,
            String trouble) {
        if (key.isPresent() && answersInPlainText(address, timeout)) {
            return new UpstreamException(UpstreamException.Kind.WRONG_KEY, "the storage at " + address
                    + " answers, but not to requests encrypted with this key: is it the public key of that storage?");
        }
        return new UpstreamException(UpstreamException.Kind.NO_ANSWER, trouble);
    }

    private static boolean answersInPlainText(HostPort address, Duration timeout) {
        try (StorageClient plain = open(address, Optional.empty(), timeout, 0)) {
            plain.exchange(List.of(Question.count()));
            return true;
        } catch (UpstreamException e) {
            return false;
        }
    }

    private UpstreamException refusal(int code) {
        return new UpstreamException(UpstreamException.Kind.REFUSED,
                "the storage at " + address + " refuses: " + Refusals.describe(code));
    }

    @Override
    public void close() {
        client.close();
    }
}
