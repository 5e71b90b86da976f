package dev.weir.http.push;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import dev.weir.http.crypt.HttpCrypt;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpBody;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.message.HttpReply;
import dev.weir.http.message.WholeRequest;
import dev.weir.http.metrics.Metric;
import dev.weir.http.server.Client;
import dev.weir.http.server.HttpServer;
import dev.weir.http.server.ServerLimits;
import dev.weir.model.failure.FailureReminders;
import dev.weir.storage.push.BatchSpan;
import dev.weir.storage.push.PushIntake;
import dev.weir.storage.push.PushSettings;
import dev.weir.storage.push.PushedUpdates;
import dev.weir.storage.server.stream.HttpHandoff;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.key.PublicKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The intake of a slave: {@code POST /update_v1/NAME}, sealed by HTTPCrypt, from the addresses in {@code masters}
 * (docs/reference/rspamd-http.md#pushed-updates). The storage passes on connections to its port that begin with HTTP.
 */
public final class PushServer implements HttpHandoff, AutoCloseable {
    /** The header of a reply that says the last batch that was applied. Rspamd does not send it. */
    static final String REVISION = "Weir-Revision";

    /** The header of a request that says which updates of the master's log the batch stands for. */
    static final String BATCH = "Weir-Batch";

    /** The header of a reply that says what the slave has of the master's log. */
    static final String PLACE = "Weir-Place";

    private static final Logger LOG = LoggerFactory.getLogger(PushServer.class);
    private static final int HEAD = 4 << 10;
    private static final int HEADERS = 32;
    private static final int CONNECTIONS = 64;
    private static final long MEMORY = 4L * PushedUpdates.MAX_BYTES;

    private final PushSettings settings;
    private final PushIntake intake;
    private final HttpCrypt crypt;
    private final HttpLimits limits;
    private final HttpServer server;
    private final LongAdder denied = new LongAdder();
    private final LongAdder refused = new LongAdder();
    /** The senders of which the log warns. A master may push every second. */
    private final FailureReminders<PublicKey> warnings;

    /** Creates the intake of a node, which does not serve yet. */
    public PushServer(PushSettings settings, PushIntake intake) {
        this(settings, intake, System::nanoTime);
    }

    /** As above, with another clock. */
    PushServer(PushSettings settings, PushIntake intake, LongSupplier nanoTime) {
        this.warnings = new FailureReminders<>(nanoTime);
        this.settings = settings;
        this.intake = intake;
        this.crypt = new HttpCrypt(List.of(settings.pair()), new SecureRandom());
        this.limits = new HttpLimits(HEAD, HEADERS, PushedUpdates.MAX_BYTES + HEAD + HttpCrypt.OVERHEAD);
        this.server = new HttpServer(List.of(), new ServerLimits(limits, CONNECTIONS, CONNECTIONS / 2,
                settings.timeout(), settings.timeout().multipliedBy(6), settings.timeout()), new BodyBudget(MEMORY),
                this::answer);
    }

    /** Begins to serve the connections that the storage passes on. */
    public void start() {
        server.startWithoutAddress();
    }

    @Override
    public void take(SocketChannel channel, InetAddress remote, byte[] begun) {
        if (intake.mayPush(remote)) {
            server.adopt(channel, begun);
            return;
        }
        denied.increment();
        LOG.debug("deny update request from {}", remote.getHostAddress());
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing a connection failed", e);
        }
    }

    private HttpReply answer(HttpHead head, HttpBody body, Client client, BodyBudget.Share share)
            throws HttpException, IOException, InterruptedException {
        String header = head.headers().first("key").orElse("");
        Optional<PublicKey> sender = HttpCrypt.sender(header);
        if (sender.isEmpty()) {
            refused.increment();
            throw new HttpException(403, "Forbidden");
        }
        SharedKey key = crypt.agree(header).orElseThrow(() -> rejected("a key of another slave", client));
        byte[] sealed = body.readOfStranger(share);
        share.take(sealed.length);
        byte[] plain = crypt.open(key, sealed).orElseThrow(() -> rejected("a body that its key did not seal", client));
        crypt.remember(header, key);
        HttpReply reply = opened(plain, sender.get(), client, share);
        return HttpReply.ok("application/octet-stream", crypt.seal(key, reply.toBytes("")));
    }

    /** As Rspamd, which closes the connection of a client that does not know the key. */
    private IOException rejected(String what, Client client) {
        refused.increment();
        LOG.debug("{} sent {}", client, what);
        return new IOException("not sealed for this storage");
    }

    private HttpReply opened(byte[] plain, PublicKey sender, Client client, BodyBudget.Share share) throws IOException {
        PublicKey wanted = settings.masterKey();
        if (wanted != null && !wanted.equals(sender)) {
            refused.increment();
            if (warnings.isDue(sender, "refused")) {
                LOG.warn("{} may not push with the key {}", client, sender);
            }
            return plainReply(403, "Forbidden");
        }
        if (wanted == null && warnings.isDue(sender, "no master_key")) {
            LOG.warn("{} pushes with the key {}, and every key is allowed: set master_key", client, sender);
        }
        try {
            WholeRequest request = WholeRequest.read(plain, limits);
            HttpHead head = request.head();
            byte[] body = request.body(share);
            if (body.length == 0) {
                refused.increment();
                return plainReply(403, "Forbidden");
            }
            String path = head.path();
            Optional<String> stretch = head.headers().first(BATCH);
            Optional<BatchSpan> span = stretch.flatMap(BatchSpan::parse);
            if (stretch.isPresent() && span.isEmpty()) {
                refused.increment();
                return plainReply(400, "Malformed " + BATCH);
            }
            PushIntake.Answer answer = intake.take(path.substring(path.lastIndexOf('/') + 1),
                    client.address().orElseThrow(), sender, body, span);
            HttpReply reply = (switch (answer.result()) {
                case APPLIED -> plainReply(200, "OK");
                case OLDER -> plainReply(409, answer.reason());
                case MALFORMED -> plainReply(400, "Malformed update");
                case FAILED -> plainReply(503, answer.reason());
            }).with(REVISION, String.valueOf(answer.revision()));
            String place = answer.place().text();
            return place.isEmpty() ? reply : reply.with(PLACE, place);
        } catch (HttpException e) {
            refused.increment();
            return plainReply(e.status(), e.reason());
        }
    }

    private static HttpReply plainReply(int status, String reason) {
        return new HttpReply(status, reason, HttpReply.TEXT, List.of(), new byte[0]);
    }

    /** Returns the metrics of the intake. */
    public List<Metric> metrics() {
        return List.of(
                Metric.counter("weir_push_denied", "Connections refused because their address is not in masters.",
                        denied.sum()),
                Metric.counter("weir_push_refused",
                        "Requests of masters refused because of their key, or because they are malformed.",
                        refused.sum()));
    }

    @Override
    public void close() {
        server.close();
    }
}
