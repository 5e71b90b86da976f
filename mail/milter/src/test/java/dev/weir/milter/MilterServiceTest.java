package dev.weir.milter;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.weir.config.source.ConfigException;
import dev.weir.http.server.ListenSockets;
import dev.weir.milter.client.MilterAnswer;
import dev.weir.milter.client.MilterClient;
import dev.weir.milter.protocol.MilterOffer;
import dev.weir.milter.session.MilterCounters.Event;
import dev.weir.milter.session.Shortfall;
import dev.weir.milter.settings.MilterConfigs;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.score.SymbolResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

final class MilterServiceTest {
    private static final String MAIL = "From: a@example.org\r\nSubject: Offer of\r\n\tthe day\r\n\r\nBuy!\r\n";
    private static final String ACTIONS = """
            actions { reject = 15; soft_reject = 12; rewrite_subject = 8; add_header = 6; greylist = 4; }
            """;

    private final BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();
    private volatile CompletableFuture<ScanResult> result = CompletableFuture.completedFuture(result(0));
    private final List<MilterService> services = new ArrayList<>();

    private record Seen(String mail, ScanContext context) {}

    private static ScanResult result(double score) {
        return new ScanResult(score == 0
                ? List.of()
                : List.of(new SymbolResult("FUZZY_DENIED", "fuzzy", score, 0, 12,
                        List.of("1:4a3146bfc8:0.94:txt", "1:dc5a0dc608:1.00:img"), "")),
                score, List.of(), List.of(), List.of(),
                List.of(), false);
    }

    private static ScanResult incomplete(double score) {
        return new ScanResult(result(score).symbols(), score, List.of(), List.of(), List.of(),
                List.of(new ScanResult.UpstreamFailure("local", "127.0.0.1:11335", "no answer", 0)), false);
    }

    /** Starts a service with options of its section, on any port. */
    private MilterService start(String options) throws Exception {
        return start(settings(options));
    }

    private static MilterSettings settings(String options) throws ConfigException {
        return MilterConfigs.parse("worker \"milter\" { " + options + " }\n" + ACTIONS)
                .withBinds(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    }

    private MilterService start(MilterSettings settings) throws IOException {
        ListenSockets doors = ListenSockets.bind(settings.binds());
        MilterService service = MilterService.of(settings, doors, (mail, context) -> {
            seen.add(new Seen(new String(mail, StandardCharsets.ISO_8859_1), context));
            return result;
        });
        places = service.start();
        services.add(service);
        return service;
    }

    private List<SocketAddress> places = List.of();

    private MilterClient connect() throws IOException {
        return connect(6, MilterClient.ALL_ACTIONS, MilterClient.ALL_STEPS);
    }

    private MilterClient connect(int version, int actions, int steps) throws IOException {
        MilterClient client = MilterClient.connect(places.getFirst());
        client.negotiate(version, actions, steps);
        client.client("mail.example", "192.0.2.7");
        return client;
    }

    /** Sends a mail over a connection of its own and returns the decision with its changes. */
    private List<String> send(String mail) throws IOException {
        try (MilterClient client = connect()) {
            return send(client, mail);
        }
    }

    private static List<String> send(MilterClient client, String mail) throws IOException {
        client.envelope("4XyZ", "a@example.org", List.of("b@example.org", "c@example.org"));
        return client.mail(mail.getBytes(StandardCharsets.ISO_8859_1)).stream().map(MilterAnswer::toString).toList();
    }

    @AfterEach
    void close() {
        services.forEach(MilterService::close);
    }

    @Test
    void scannerGetsTheMailAndItsEnvelope() throws Exception {
        start("");
        assertThat(send(MAIL)).containsExactly("h X-Weir-Action| no action|", "h X-Weir-Score| 0.00 / 15.00|", "c ");
        Seen mail = seen.take();
        assertThat(mail.mail()).isEqualTo(MAIL);
        assertThat(mail.context()).isEqualTo(new ScanContext(InetAddress.ofLiteral("192.0.2.7"), null, "mail.example",
                "mail.example", "4XyZ", "a@example.org", List.of("b@example.org", "c@example.org"), Map.of()));
    }

    @Test
    void whatIsTooLongForAnEnvelopeIsReplaced() throws Exception {
        start("");
        String longest = "a".repeat(64) + "@" + "b".repeat(255);
        try (MilterClient client = connect()) {
            client.envelope("q".repeat(321), "c" + longest, List.of(longest, "d" + longest));
            client.mail(MAIL.getBytes(StandardCharsets.ISO_8859_1));
        }
        ScanContext context = seen.take().context();
        assertThat(context.recipients()).containsExactly(longest, "(too long)");
        assertThat(context.from()).isEqualTo("(too long)");
        assertThat(context.queueId()).isEqualTo("(too long)");
    }

    @Test
    void anEnvelopeTakesItsMemoryFromTheBudget() throws Exception {
        MilterService service = start("");
        try (MilterClient client = connect()) {
            List<String> recipients = new ArrayList<>();
            for (int i = 0; i < 1500; i++) {
                recipients.add("x".repeat(300) + i + "@example.org");
            }
            client.envelope("4XyZ", "a@example.org", recipients);
            // The client does not wait for answers to recipients.
            await().untilAsserted(() -> assertThat(used(service)).isBetween(1000L * 300, 1000L * 400));
            client.mail(MAIL.getBytes(StandardCharsets.ISO_8859_1));
            assertThat(seen.take().context().recipients()).hasSize(1000);
            await().untilAsserted(() -> assertThat(used(service)).isZero());
        }
    }

    private static long used(MilterService service) {
        return service.metrics().stream().filter(metric -> metric.name().equals("weir_milter_mail_bytes"))
                .mapToLong(metric -> (long) metric.samples().getFirst().value()).sum();
    }

    @Test
    void anErrorOfTheScannerEndsOneConnectionAndIsCounted() throws Exception {
        MilterSettings settings = settings("");
        MilterService service = MilterService.of(settings, ListenSockets.bind(settings.binds()), (_, _) -> {
            throw new OutOfMemoryError("as if");
        });
        places = service.start();
        services.add(service);
        assertThatThrownBy(() -> send(MAIL)).isInstanceOf(IOException.class);
        await().until(() -> service.counters().of(Event.NO_MEMORY) == 1);
    }

    @Test
    void addsFieldsByTheScore() throws Exception {
        start("spamd_result = true;");
        result = CompletableFuture.completedFuture(result(6.5));
        assertThat(send(MAIL)).containsExactly("h X-Weir-Spam| Yes|", "h X-Weir-Action| add header|",
                "h X-Weir-Score| 6.50 / 15.00|",
                "h X-Weir-Symbols| FUZZY_DENIED(6.50)[1:4a3146bfc8:0.94:txt,1:dc5a0dc608:1.00:img]|",
                "h X-Spamd-Result| default: False [6.50 / 15.00];\n\tFUZZY_DENIED(6.50)[1:4a3146bfc8:0.94:txt,"
                        + "1:dc5a0dc608:1.00:img]|",
                "c ");
    }

    /** An old mail server adds the space itself, wants an answer to each step, and may allow nothing. */
    @Test
    void fitsTheMailServer() throws Exception {
        start("");
        try (MilterClient client = connect(2, MilterClient.ALL_ACTIONS, 0)) {
            assertThat(send(client, MAIL)).contains("h X-Weir-Action|no action|", "c ");
            assertThat(seen.take().mail()).isEqualTo(MAIL);
        }
        try (MilterClient client = connect(6, 0, MilterClient.ALL_STEPS)) {
            assertThat(send(client, MAIL)).containsExactly("c ");
        }
        try (MilterClient client = MilterClient.connect(places.getFirst())) {
            assertThatThrownBy(() -> client.negotiate(1, 0, 0)).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void refusesSpamWithAText() throws Exception {
        start("reject_message = \"Spam: 100% sure\";");
        result = CompletableFuture.completedFuture(result(16));
        assertThat(send(MAIL)).containsExactly("y 550 5.7.1 Spam: 100%% sure|");
        result = CompletableFuture.completedFuture(result(13));
        assertThat(send(MAIL)).containsExactly("y 451 4.7.1 Try again later|");
    }

    @Test
    void dropsOrHoldsSpamOnWish() throws Exception {
        result = CompletableFuture.completedFuture(result(16));
        start("discard_on_reject = true;");
        assertThat(send(MAIL)).containsExactly("d ");
        start("quarantine_on_reject = true;");
        assertThat(send(MAIL)).contains("h X-Weir-Action| reject|").endsWith("q Spam message rejected|", "c ");
        try (MilterClient client = connect(6, MilterOffer.ADD_HEADERS, MilterClient.ALL_STEPS)) {
            assertThat(send(client, MAIL)).endsWith("y 550 5.7.1 Spam message rejected|");
        }
    }

    @Test
    void changesOrAddsTheSubject() throws Exception {
        start("subject = \"[%d%% %s]\";");
        result = CompletableFuture.completedFuture(result(9));
        assertThat(send(MAIL)).contains("m \0\0\0\1Subject\0 [9.00% Offer of\n\tthe day]\0".replace('\0', '|'));
        assertThat(send("From: a\r\n\r\nBuy!\r\n")).contains("h Subject| [9.00% ]|");
    }

    @Test
    void deletesForgedFields() throws Exception {
        start("");
        assertThat(send("X-Weir-Spam: No\r\nx-weir-score: 1\r\nX-Weir-Score: 2\r\nX-Other: 3\r\n" + MAIL))
                .containsExactly("m |||\2X-Weir-Score||", "m |||\1X-Weir-Score||", "m |||\1X-Weir-Spam||",
                        "h X-Weir-Action| no action|",
                        "h X-Weir-Score| 0.00 / 15.00|", "c ");
    }

    /** A mail server takes minutes to delete thousands of fields, and any that stays would pass for ours. */
    @Test
    void aMailWithVeryManyForgedFieldsIsRefused() throws Exception {
        start("");
        assertThat(send("X-Weir-Score: 1\r\n".repeat(100) + MAIL)).hasSize(103).endsWith("c ");
        String text = "y 550 5.7.1 The mail has more than 100 fields that only this filter may add|";
        String many = "X-Weir-Score: 1\r\n".repeat(60) + "X-Weir-Action: no action\r\n".repeat(41) + MAIL;
        assertThat(send(many)).containsExactly(text);
        result = CompletableFuture.completedFuture(incomplete(6.5));
        assertThat(send(many)).as("incomplete").containsExactly(text);
        result = CompletableFuture.failedFuture(new IllegalStateException("a defect"));
        assertThat(send(many)).as("unscanned").containsExactly(text);
        result = CompletableFuture.completedFuture(result(16));
        assertThat(send(many)).as("rejected").containsExactly("y 550 5.7.1 Spam message rejected|");
        start("quarantine_on_reject = true;");
        assertThat(send(many)).as("quarantined").containsExactly(text);
    }

    @Test
    void incompleteScansAreAcceptedOrDeferred() throws Exception {
        MilterService open = start("");
        result = CompletableFuture.completedFuture(incomplete(6.5));
        assertThat(send(MAIL)).contains("h X-Weir-Spam| Yes|",
                "h X-Weir-Unscanned| a storage did not answer or refused|", "c ");
        assertThat(open.counters().of(Shortfall.UNANSWERED)).isOne();
        MilterService shut = start("on_failure = defer;");
        assertThat(send(MAIL)).containsExactly("y 451 4.7.1 The mail cannot be scanned now, try again later|");
        assertThat(shut.counters().of(Event.DEFERRED)).isOne();
        result = CompletableFuture.completedFuture(incomplete(20));
        assertThat(send(MAIL)).as("spam for certain").containsExactly("y 550 5.7.1 Spam message rejected|");
    }

    @Test
    void scannerThatFailsOrHangsHoldsNothingUp() throws Exception {
        MilterService service = start("scan_timeout = 1s;");
        result = new CompletableFuture<>();
        assertThat(send(MAIL)).containsExactly("h X-Weir-Unscanned| scanning took too long|", "c ");
        result = CompletableFuture.failedFuture(new IllegalStateException("a defect"));
        assertThat(send(MAIL)).containsExactly("h X-Weir-Unscanned| internal error|", "c ");
        assertThat(service.counters().of(Shortfall.TIMEOUT)).isOne();
        assertThat(service.counters().of(Shortfall.DEFECT)).isOne();
    }

    /** A retry would not help, so a large mail is accepted even if failures defer. */
    @Test
    void largeMailsAreSkipped() throws Exception {
        MilterService service = start("on_failure = defer; max_message = 100000;");
        String body = "x".repeat(1 << 20);
        assertThat(send(MAIL + body)).containsExactly("h X-Weir-Unscanned| the mail is too large|", "c ");
        try (MilterClient client = connect(2, MilterClient.ALL_ACTIONS, 0)) {
            assertThat(send(client, MAIL + body)).endsWith("c ");
            assertThat(send(client, MAIL)).as("the next mail").contains("h X-Weir-Action|no action|");
        }
        assertThat(seen).hasSize(1);
        assertThat(service.counters().of(Shortfall.TOO_LARGE)).isEqualTo(2);
        assertThat(service.metrics()).anySatisfy(metric -> {
            assertThat(metric.name()).isEqualTo("weir_milter_mail_bytes");
            assertThat(metric.samples().getFirst().value()).isZero();
        });
    }

    @Test
    void oneConnectionCarriesManyMails() throws Exception {
        MilterService service = start("");
        try (MilterClient client = connect()) {
            client.envelope("Q1", "given@up", List.of("b@example.org"));
            client.field("Subject", " lost");
            client.send('A', new byte[0]);
            for (int i = 0; i < 3; i++) {
                assertThat(send(client, MAIL)).endsWith("c ");
                assertThat(seen.take().mail()).isEqualTo(MAIL);
            }
            // The next client of the mail server.
            client.send('K', new byte[0]);
            client.client("other.example", "2001:db8::7");
            assertThat(send(client, MAIL)).endsWith("c ");
            assertThat(seen.take().context().ip()).isEqualTo(InetAddress.ofLiteral("2001:db8::7"));
        }
        assertThat(service.counters().of(Event.ABORTED)).isOne();
        assertThat(service.counters().of("no action")).isEqualTo(4);
    }

    @Test
    void brokenPacketsEndTheConnection() throws Exception {
        MilterService service = start("");
        for (char code : new char[]{'E', 'Z', 'O'}) {
            try (MilterClient client = connect()) {
                client.send(code, new byte[0]);
                assertThatThrownBy(client::answer).isInstanceOf(IOException.class);
            }
        }
        try (MilterClient client = MilterClient.connect(places.getFirst())) {
            client.send('H', "early");
            assertThatThrownBy(client::answer).isInstanceOf(IOException.class);
        }
        assertThat(service.counters().of(Event.MALFORMED)).isEqualTo(4);
        assertThat(send(MAIL)).endsWith("c ");
    }

    @Test
    void tooManyConnectionsAreClosed() throws Exception {
        MilterService service = start("max_connections = 2;");
        try (MilterClient first = connect(); MilterClient _ = connect()) {
            assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
            assertThat(service.counters().of(Event.OVERFLOW)).isOne();
            assertThat(send(first, MAIL)).endsWith("c ");
        }
    }

    @Test
    void thousandsOfConnectionsWaitAtOnce() throws Exception {
        start("");
        List<MilterClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 2000; i++) {
                MilterClient client = connect();
                clients.add(client);
                client.envelope("Q" + i, "a@example.org", List.of("b@example.org"));
            }
            for (MilterClient client : clients) {
                assertThat(client.mail(MAIL.getBytes(StandardCharsets.US_ASCII)).getLast().code()).isEqualTo('c');
            }
        } finally {
            for (MilterClient client : clients) {
                client.close();
            }
        }
        assertThat(seen).hasSize(2000);
    }

    @Test
    void idleConnectionsEnd() throws Exception {
        MilterService service = start("timeout = 1s;");
        try (MilterClient client = connect()) {
            assertThatThrownBy(client::answer).isInstanceOf(IOException.class);
        }
        assertThat(service.counters().of(Event.TIMEOUT)).isOne();
    }

    /** The common pool may have one thread only. */
    @Test
    void stopWaitsForAMailThatIsScanned() throws Exception {
        MilterService service = start("");
        result = new CompletableFuture<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                MilterClient idle = connect();
                MilterClient busy = connect()) {
            busy.envelope("Q", "a@example.org", List.of("b@example.org"));
            CompletableFuture<List<MilterAnswer>> decision = CompletableFuture.supplyAsync(() -> {
                try {
                    return busy.mail(MAIL.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }, threads);
            seen.take();
            CompletableFuture<Void> stop = CompletableFuture.runAsync(service::close, threads);
            assertThatThrownBy(idle::answer).isInstanceOf(IOException.class);
            result.complete(result(16));
            assertThat(decision.get(30, TimeUnit.SECONDS).getLast().code()).isEqualTo('y');
            stop.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void listensOnAUnixSocket(@TempDir Path folder) throws Exception {
        start(settings("").withBinds(List.of(UnixDomainSocketAddress.of(folder.resolve("milter.sock")))));
        assertThat(send(MAIL)).endsWith("c ");
    }

    @Test
    void newSettingsHoldForTheNextMail() throws Exception {
        MilterService service = start("");
        result = CompletableFuture.completedFuture(result(16));
        try (MilterClient client = connect()) {
            client.envelope("Q", "a@example.org", List.of("b@example.org"));
            client.send('B', "text");
            assertThat(client.answer().code()).isEqualTo('c');
            service.reconfigure(settings("reject_message = Other;"));
            assertThat(client.end().getLast().data()).contains("Spam message rejected");
            assertThat(send(client, MAIL)).containsExactly("y 550 5.7.1 Other|");
        }
    }

    @Test
    void onlyNamedNetworksConnectFromElsewhere() throws ConfigException {
        InetSocketAddress any = new InetSocketAddress("0.0.0.0", 0);
        assertThatIllegalArgumentException().isThrownBy(() -> start(settings("").withBinds(List.of(any))))
                .withMessageContaining("has no allow_ip");
        MilterSettings some = settings("allow_ip = \"192.0.2.0/24\";").withBinds(List.of(any));
        assertThat(some.admits(InetAddress.ofLiteral("192.0.2.7"))).isTrue();
        assertThat(some.admits(InetAddress.ofLiteral("198.51.100.7"))).isFalse();
        assertThat(some.admits(InetAddress.getLoopbackAddress())).isTrue();
        assertThatCode(some::requireOpenDoor).doesNotThrowAnyException();
    }
}
