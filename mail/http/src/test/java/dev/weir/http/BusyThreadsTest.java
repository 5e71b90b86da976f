package dev.weir.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.weir.http.access.AccessRules;
import dev.weir.http.controller.Actions;
import dev.weir.http.controller.FakeService;
import dev.weir.http.controller.MailService;
import dev.weir.http.controller.PooledMailService;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.metrics.Health;
import dev.weir.http.metrics.ScanPoolMetrics;
import dev.weir.http.page.PageFiles;
import dev.weir.http.server.ServerLimits;
import dev.weir.http.settings.HttpSettings;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.pool.ScanLane;
import dev.weir.scan.pool.ScanPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What answers while every thread that hashes mails is busy. */
@Timeout(60)
class BusyThreadsTest {
    /** More than there are threads for virtual threads. */
    private static final int HEAVY = 2 * Runtime.getRuntime().availableProcessors() + 4;
    private static final byte[] LARGE = new byte[ScanPool.LARGE + 1];

    private final ScanPool pool = ScanPool.start(2, HEAVY);
    private final ScanLane lane = pool.lane(ScanPool.Source.HTTP);
    private final HttpClient http = HttpClient.newHttpClient();
    private volatile boolean over;
    private HttpService service = service(Duration.ofSeconds(60));
    private String base = "";

    /** Stays on the processor with large mails, as a hasher does. */
    private final class Hasher extends FakeService {
        @Override
        public CompletableFuture<ScanResult> check(byte[] mail, ScanContext context) {
            while (mail.length > ScanPool.LARGE && !over) {
                Thread.onSpinWait();
            }
            return super.check(mail, context);
        }
    }

    private HttpService service(Duration time) {
        MailService mails = new PooledMailService(new Hasher(), lane);
        HttpSettings settings = new HttpSettings(
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                AccessRules.trusting(AccessRules.LOOPBACK), List.of(),
                new ServerLimits(HttpLimits.DEFAULT, 1024, 512, Duration.ofSeconds(60), time, time), Actions.DEFAULT,
                Duration.ZERO);
        return HttpService.of(settings, mails,
                new ScanPoolMetrics(pool), Health.GOOD, "9.9", PageFiles.routes());
    }

    @BeforeEach
    void start() throws Exception {
        base = "http://127.0.0.1:" + ((InetSocketAddress) service.start().getFirst()).getPort();
    }

    @AfterEach
    void stop() {
        over = true;
        http.close();
        service.close();
        pool.close();
    }

    private CompletableFuture<HttpResponse<String>> scan(byte[] mail) {
        return http.sendAsync(HttpRequest.newBuilder(URI.create(base + "/checkv2"))
                .POST(HttpRequest.BodyPublishers.ofByteArray(mail)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return http.send(HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(20)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void monitorsThePageAndASmallMailAreAnswered() throws Exception {
        List<CompletableFuture<HttpResponse<String>>> heavy = new ArrayList<>();
        for (int i = 0; i < HEAVY; i++) {
            heavy.add(scan(LARGE));
        }
        await().until(() -> lane.running() == 2 && lane.waiting() == HEAVY - 2);

        for (String path : List.of("/ping", "/healthz", "/metrics", "/")) {
            assertThat(get(path).statusCode()).as(path).isEqualTo(200);
        }
        assertThat(get("/metrics").body()).contains("weir_hash_running{source=\"http\"} 2",
                "weir_hash_waiting{source=\"http\"} " + (HEAVY - 2));
        assertThat(scan(new byte[100]).get().statusCode()).isEqualTo(200);
        assertThat(heavy).noneMatch(CompletableFuture::isDone);

        over = true;
        for (CompletableFuture<HttpResponse<String>> each : heavy) {
            assertThat(each.get().statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aMailBeyondTheQueueIsRefusedWithAReason() throws Exception {
        List<CompletableFuture<HttpResponse<String>>> heavy = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            heavy.add(scan(LARGE));
        }
        await().until(() -> lane.running() == 2);
        for (int i = 0; i < HEAVY; i++) {
            heavy.add(scan(LARGE));
        }
        await().until(() -> lane.running() == 2 && lane.waiting() == HEAVY);

        HttpResponse<String> refused = scan(LARGE).get();
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("Too many messages at a time");
        assertThat(get("/metrics").body()).contains("weir_hash_refused_total{source=\"http\"} 1");
        assertThat(heavy).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void theTimeLimitFiresWhileAMailWaitsAndWhileItIsHashed() throws Exception {
        service.close();
        service = service(Duration.ofSeconds(6));
        start();
        List<CompletableFuture<HttpResponse<String>>> heavy = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            heavy.add(scan(LARGE));
        }
        for (CompletableFuture<HttpResponse<String>> each : heavy) {
            assertThat(each.get().statusCode()).isEqualTo(503);
        }
        // Those that waited have left the queue.
        assertThat(lane.waiting()).isZero();
        assertThat(lane.abandoned()).isEqualTo(2);
    }
}
