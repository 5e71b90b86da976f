package dev.weir.http.replication;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;

import dev.weir.http.crypt.HttpCrypt;
import dev.weir.storage.replication.ReplicationSettings;
import dev.weir.storage.replication.Transport;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.key.KeyPair;

/** Asks the {@link FeedServer} of the leader of this node. Thread-safe. */
public final class FeedClient implements Transport {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    /** Until the answer begins, and from then on between two pieces of it. */
    private static final Duration ANSWER = Duration.ofSeconds(30);
    /** For a whole answer, so that one that trickles does not occupy the follower for ever. */
    private static final Duration WHOLE = Duration.ofMinutes(10);
    private static final int MAX_ERROR = 512;

    private final ReplicationSettings.Upstream leader;
    private final HttpCrypt crypt;
    private final String header;
    private final SharedKey key;
    private final Duration patience;
    private final Duration whole;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT).followRedirects(HttpClient.Redirect.NEVER)
            .executor(Executors.newVirtualThreadPerTaskExecutor()).build();

    private FeedClient(ReplicationSettings.Upstream leader, KeyPair own, SharedKey key, Duration patience,
            Duration whole) {
        this.leader = leader;
        this.patience = patience;
        this.whole = whole;
        this.crypt = new HttpCrypt(List.of(own), new SecureRandom());
        this.header = leader.key().shortId() + "=" + own.publicKey().base32();
        this.key = key;
    }

    /**
     * Returns the way to a leader, without connecting.
     *
     * @param own the key pair of the follower
     * @throws IllegalArgumentException if the leader's key cannot be used
     */
    public static FeedClient to(ReplicationSettings.Upstream leader, KeyPair own) {
        return to(leader, own, ANSWER, WHOLE);
    }

    /**
     * As above, with other limits.
     *
     * @param patience until the answer begins, and from then on between two pieces of it
     * @param whole from the beginning of the answer to its end
     */
    static FeedClient to(ReplicationSettings.Upstream leader, KeyPair own, Duration patience, Duration whole) {
        SharedKey key = SharedKey.of(own.secret(), leader.key())
                .orElseThrow(() -> new IllegalArgumentException("the key of the leader cannot be used"));
        return new FeedClient(leader, own, key, patience, whole);
    }

    @Override
    public byte[] ask(byte[] question) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + leader + FeedServer.PATH))
                .timeout(patience).header("Key", header)
                .POST(HttpRequest.BodyPublishers.ofByteArray(crypt.seal(key, question))).build();
        HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        // The time limit of the request ends when its answer begins.
        try (LimitedBody body = new LimitedBody(response.body(), patience, whole)) {
            if (response.statusCode() != 200) {
                throw new IOException("it refuses with status " + response.statusCode() + ": "
                        + printable(body.readNBytes(MAX_ERROR)));
            }
            byte[] sealed = body.readNBytes(FeedServer.MAX_MESSAGE + 1);
            if (sealed.length > FeedServer.MAX_MESSAGE) {
                throw new IOException("its answer is too long");
            }
            return crypt.open(key, sealed)
                    .orElseThrow(() -> new IOException("its answer is not sealed with the key of the leader"));
        }
    }

    /** Returns the text of an error, which anyone between the nodes could have written. */
    private static String printable(byte[] text) {
        return new String(text, StandardCharsets.US_ASCII).replaceAll("[^ -~]", " ").strip();
    }
}
