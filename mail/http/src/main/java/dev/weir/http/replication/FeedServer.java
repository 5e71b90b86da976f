package dev.weir.http.replication;

import java.io.IOException;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.http.crypt.HttpCrypt;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpBody;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.message.HttpReply;
import dev.weir.http.metrics.Metric;
import dev.weir.http.server.HttpHandler;
import dev.weir.http.server.HttpServer;
import dev.weir.http.server.ListenSockets;
import dev.weir.http.server.ServerLimits;
import dev.weir.storage.replication.FollowerKey;
import dev.weir.storage.replication.Message;
import dev.weir.storage.replication.MessageException;
import dev.weir.storage.replication.ReplicationNode;
import dev.weir.storage.replication.ReplicationSettings;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.key.PublicKey;

/**
 * The door of a node for its followers (docs/operate/nodes.md#the-feed): {@code POST /replicate} with a message that
 * HTTPCrypt's encryption seals. The header {@code Key} names the follower, and only its key pair could have sealed the
 * message.
 */
public final class FeedServer implements AutoCloseable {
    /** The path of a question. */
    static final String PATH = "/replicate";

    /** The maximum size of a sealed message in both directions: updates or a part of a checkpoint. */
    static final int MAX_MESSAGE = 16 << 20;

    /** The time that a stop waits for answers on their way. */
    private static final Duration DRAIN = Duration.ofSeconds(1);
    private static final int CONNECTIONS = 256;
    private static final int PER_ADDRESS = 32;
    private static final long MEMORY = 8L * MAX_MESSAGE;
    private static final ServerLimits LIMITS = new ServerLimits(new HttpLimits(4 << 10, 32, MAX_MESSAGE), CONNECTIONS,
            PER_ADDRESS, Duration.ofSeconds(20), Duration.ofSeconds(40), Duration.ofSeconds(20));

    private final ReplicationSettings settings;
    private final ReplicationNode node;
    private final HttpCrypt crypt;
    private final HttpServer server;
    private final LongAdder answered = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    /** Creates the door of a node, which does not listen yet. */
    public FeedServer(ReplicationSettings settings, ReplicationNode node) {
        this.settings = settings;
        this.node = node;
        this.crypt = new HttpCrypt(List.of(settings.pair()), new SecureRandom());
        this.server = new HttpServer(List.of(), LIMITS, new BodyBudget(MEMORY), handler());
    }

    /**
     * Starts to answer on bound sockets, and closes them in the end.
     *
     * @return their addresses
     */
    public List<SocketAddress> start(ListenSockets doors) {
        return server.start(doors);
    }

    /** Returns the metrics of the door. */
    public List<Metric> metrics() {
        return List.of(
                Metric.counter("weir_feed_answers", "Requests of followers that were answered.", answered.sum()),
                Metric.counter("weir_feed_sent_bytes", "Bytes of the answers to followers.", bytes.sum()),
                Metric.counter("weir_feed_refused",
                        "Requests refused because their sender is not a follower, or because they are malformed.",
                        refused.sum()));
    }

    private HttpHandler handler() {
        return (head, body, _, share) -> {
            try {
                return answer(head, body, share);
            } catch (HttpException e) {
                refused.increment();
                throw e;
            }
        };
    }

    private HttpReply answer(HttpHead head, HttpBody body, BodyBudget.Share share)
            throws HttpException, IOException, InterruptedException {
        if (!head.path().equals(PATH)) {
            throw new HttpException(404, "Not found");
        }
        if (!head.method().equals("POST")) {
            refused.increment();
            return HttpReply.error(405, "Use POST").with("Allow", "POST");
        }
        String header = head.headers().first("key").orElse("");
        Optional<PublicKey> sender = HttpCrypt.sender(header);
        Optional<FollowerKey> follower = sender.flatMap(settings::follower);
        // Before anything is computed, because anyone can name any key.
        if (follower.isEmpty()) {
            throw new HttpException(403, "This key is not that of a follower");
        }
        SharedKey key = crypt.agree(header).orElseThrow(() -> new HttpException(403,
                "The request is for a node with another key"));
        byte[] sealed = body.readOfStranger(share);
        share.take(sealed.length);
        byte[] plain = crypt.open(key, sealed).orElseThrow(() -> new HttpException(403,
                "The request cannot be decrypted"));
        crypt.remember(header, key);
        Message question;
        try {
            question = Message.read(plain);
        } catch (MessageException e) {
            throw new HttpException(400, "The request cannot be parsed: " + e.getMessage());
        }
        byte[] reply = crypt.seal(key, Message.write(node.answer(follower.get(), question)));
        answered.increment();
        bytes.add(reply.length);
        return HttpReply.ok("application/octet-stream", reply);
    }

    @Override
    public void close() {
        // A follower that waits for updates holds a request open, and it repeats one that got no answer.
        server.close(DRAIN);
    }
}
