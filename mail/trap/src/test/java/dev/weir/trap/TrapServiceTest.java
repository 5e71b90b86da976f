package dev.weir.trap;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.config.Configuration;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.hash.MailHasher;
import dev.weir.http.access.AccessDecision;
import dev.weir.http.access.Requester;
import dev.weir.http.controller.Endpoint;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpHeaders;
import dev.weir.model.Digest;
import dev.weir.os.Certificates;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.Submitter;
import dev.weir.scan.pool.ScanPool;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.storage.access.gate.SkipList;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.Listen;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.stream.StreamLimits;
import dev.weir.testkit.TlsCertificate;
import dev.weir.trap.decision.TrapCounters.Event;
import dev.weir.trap.decision.TrapOutcome;
import dev.weir.trap.settings.TrapConfigs;
import dev.weir.trap.settings.TrapSettings;
import dev.weir.trap.smtp.TrapListeners;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of traps in front of a real storage, with a client that speaks SMTP and LMTP. */
@Timeout(300)
final class TrapServiceTest {
    private static final MailHasher HASHER = MailHasher.standard();
    private static final String SPAMMER = "spammer@example.net";
    private static final String BAIT = "bait@example.org";
    private static final String COMPLAINTS = """
            addresses = "spam@example.org"; keep_addresses = "keep@example.org";
            flag = 1; min_votes = 2; weight = 5; max_weight = 50;
            """;
    private static final long PATIENCE = TimeUnit.MINUTES.toNanos(1);

    @TempDir
    Path folder = Path.of("unused");
    private final ArrayDeque<AutoCloseable> open = new ArrayDeque<>();
    private List<InetSocketAddress> doors = List.of();
    private StorageServer storage = new StorageServer(StorageConfig.of(Path.of("unused")));
    private int port;
    private List<FuzzyCheck> clients = List.of();
    private final ScanPool pool = ScanPool.start(2, 16);

    @BeforeEach
    void startStorage() throws Exception {
        open.push(pool);
        storage = new StorageServer(StorageConfig.of(folder.resolve("data")).withBackend(BackendKind.STORE)
                .withListen(
                        new Listen(List.of(new Bind.Inet(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))),
                                StreamLimits.DEFAULT))
                .withAllowUpdate(StorageConfig.loopback()));
        open.push(storage);
        port = storage.start().getPort();
        clients = List.of(client("", ""));
    }

    /**
     * Opens a client.
     *
     * @param more another rule
     */
    private FuzzyCheck client(String options, String more) throws Exception {
        String text = """
                fuzzy_check { rule "local" {
                  algorithm = "mumhash"; servers = "127.0.0.1:%d"; symbol = "LOCAL"; mime_types = ["*"];
                  timeout = 5s; read_only = false; %s
                  fuzzy_map = { SPAM { flag = 1; max_score = 20; } HAM { flag = 3; max_score = 20; } }
                } %s }
                """.formatted(port, options, more);
        UclObject root = (UclObject) Ucl.parse("test.conf", text, UclSettings.PLAIN).root();
        FuzzyCheckSettings rules = FuzzyCheckSettings.of(new Configuration(Configuration.Shape.WHOLE_FILE,
                "test.conf", root, List.of(), List.of()), new DiskFiles());
        FuzzyCheck client = FuzzyCheck.open(rules, HASHER, FuzzyCheckOptions.DEFAULT.withExecutor(Runnable::run));
        open.push(client);
        return client;
    }

    @AfterEach
    void stop() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    /** Starts a service that listens. */
    private TrapService start(String options) throws Exception {
        TrapSettings parsed = TrapConfigs.parse("bind_socket = \"127.0.0.1\"; addresses = [\"" + BAIT
                + "\", \"lure@example.org\", \"trap.example\"]; " + options);
        List<InetSocketAddress> any = List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return start(new TrapSettings(any, any, parsed.tls(), parsed.mailBytes(), parsed.connections(), parsed.idle(),
                parsed.poll(), parsed.sources(), parsed.policy(), parsed.complaints(), parsed.wanted()));
    }

    private TrapService start(TrapSettings settings) throws Exception {
        TrapService service = TrapService.open(settings, TrapListeners.bind(settings.smtp(), settings.lmtp()),
                clients.getFirst(), pool.lane(ScanPool.Source.TRAP), folder.resolve("traps.db"));
        open.push(service);
        doors = service.start();
        return service;
    }

    private static String words(int seed, int count) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            random.ints(7, 'a', 'z' + 1).forEach(text::appendCodePoint);
            text.append(i % 10 == 9 ? "\r\n" : " ");
        }
        return text.toString();
    }

    /** Returns a mail that a host sent to the mail server in front of the traps. */
    private static String mail(String host, String text) {
        return "Received: from mail.example.net (unknown [" + host + "]) by mx.example.org with ESMTP; "
                + "Tue, 24 Nov 2026 10:00:00 +0000\r\nFrom: Sale <sale@example.net>\r\nSubject: sale\r\n"
                + "Message-ID: <1@example.net>\r\n\r\n" + text;
    }

    private String send(String to, String mail) throws Exception {
        return SmtpClient.deliver(doors.getFirst(), SPAMMER, to, mail);
    }

    private List<FuzzyMatch> matches(String mail) throws Exception {
        return clients.getFirst().check(mail.getBytes(StandardCharsets.ISO_8859_1), ScanContext.NONE).get().matches();
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(PATIENCE, TimeUnit.NANOSECONDS).pollInterval(Duration.ofMillis(10)).until(condition);
    }

    @Test
    void aCampaignIsHeldBackUntilASecondNetworkSendsItAndGainsWeightWithEachFurther() throws Exception {
        TrapService service = start("");
        String text = words(1, 100);
        assertThat(send(BAIT, mail("192.0.2.1", text))).startsWith("250 ");
        assertThat(send(BAIT, mail("192.0.2.77", text))).startsWith("250 ");
        assertThat(service.counters().of(TrapOutcome.HELD)).isEqualTo(2);
        assertThat(matches(mail("192.0.2.1", text))).isEmpty();

        // A changed copy from another network.
        String changed = text.substring(0, text.length() - 40) + words(2, 5);
        assertThat(send(BAIT, mail("198.51.100.1", changed))).startsWith("250 ");
        assertThat(service.counters().of(TrapOutcome.LEARNED)).isEqualTo(1);
        assertThat(matches(mail("192.0.2.1", text))).singleElement()
                .satisfies(match -> assertThat(match.value()).isEqualTo(10));

        send(BAIT, mail("203.0.113.1", changed));
        send(BAIT, mail("203.0.113.2", changed));
        assertThat(service.counters().of(TrapOutcome.RAISED)).isEqualTo(1);
        assertThat(service.counters().of(TrapOutcome.KNOWN)).isEqualTo(1);
        assertThat(matches(mail("192.0.2.1", changed))).singleElement()
                .satisfies(match -> assertThat(match.value()).isEqualTo(15));
    }

    @Test
    void aSecondTrapCountsAsASourceButAnotherAddressOfTheSameDomainDoesNot() throws Exception {
        TrapService service = start("");
        String mail = mail("192.0.2.1", words(3, 100));
        send("a@trap.example", mail);
        send("b@TRAP.example", mail);
        assertThat(service.counters().of(TrapOutcome.HELD)).isEqualTo(2);
        send(BAIT, mail);
        assertThat(service.counters().of(TrapOutcome.LEARNED)).isEqualTo(1);
    }

    @Test
    void whatWasHeldBackIsRememberedAcrossARestart() throws Exception {
        String mail = mail("192.0.2.1", words(4, 100));
        try (TrapService first = start("")) {
            send(BAIT, mail);
            assertThat(first.counters().of(TrapOutcome.HELD)).isEqualTo(1);
        }
        TrapService second = start("");
        send("lure@example.org", mail);
        assertThat(second.counters().of(TrapOutcome.LEARNED)).isEqualTo(1);
    }

    @Test
    void mailThatMayBeWantedIsNotLearned() throws Exception {
        TrapService service = start("min_sources = 1; own_networks = \"10.0.0.0/8\"; own_domains = \"example.com\";");
        String text = words(5, 100);
        clients.getFirst().learn(mail("192.0.2.1", text).getBytes(StandardCharsets.ISO_8859_1), LearnRequest.add(3, 20))
                .get();
        assertThat(send(BAIT, mail("192.0.2.1", text.substring(40)))).startsWith("250 ");
        assertThat(service.counters().of(TrapOutcome.NEAR_HAM)).isEqualTo(1);

        send(BAIT, mail("192.0.2.1", words(6, 20)));
        assertThat(service.counters().of(TrapOutcome.TOO_FEW_WORDS)).isEqualTo(1);
        send(BAIT, mail("10.1.1.1", words(7, 100)));
        assertThat(service.counters().of(TrapOutcome.OWN_NETWORK)).isEqualTo(1);
        SmtpClient.deliver(doors.getFirst(), "user@Example.com", BAIT, mail("192.0.2.1", words(8, 100)));
        send(BAIT, mail("192.0.2.1", words(9, 100)).replace("sale@example.net", "user@example.com"));
        assertThat(service.counters().of(TrapOutcome.OWN_SENDER)).isEqualTo(2);
        SmtpClient.deliver(doors.getFirst(), "", BAIT, mail("192.0.2.1", words(10, 100)));
        assertThat(service.counters().of(TrapOutcome.BOUNCE)).isEqualTo(1);
        send(BAIT, "Auto-Submitted: auto-replied\r\n" + mail("192.0.2.1", words(11, 100)));
        assertThat(service.counters().of(TrapOutcome.AUTOMATIC)).isEqualTo(1);
        assertThat(service.counters().of(TrapOutcome.LEARNED)).isZero();

        send(BAIT, mail("192.0.2.1", words(12, 100)));
        assertThat(service.counters().of(TrapOutcome.LEARNED)).isEqualTo(1);
    }

    @Test
    void aForgedReceivedFieldIsNotBelieved() throws Exception {
        TrapService service = start("own_networks = \"10.0.0.0/8\";");
        String forged = mail("192.0.2.1", words(13, 100)).replace("From: Sale",
                "Received: from pc (pc [10.0.0.1]) by mail.example.net\r\nFrom: Sale");
        send(BAIT, forged);
        send(BAIT, forged.replace("10.0.0.1", "10.0.0.2"));
        assertThat(service.counters().of(TrapOutcome.HELD)).isEqualTo(2);
    }

    @Test
    void recipientsThatAreNoTrapsAreRefused() throws Exception {
        TrapService service = start("");
        assertThat(send("user@example.org", mail("192.0.2.1", words(14, 100)))).startsWith("550 5.1.1");
        assertThat(service.counters().of(Event.NO_TRAP)).isEqualTo(1);
    }

    @Test
    void aMailThatIsTooLargeIsRefusedAndTheConnectionGoesOn() throws Exception {
        TrapService service = start("max_message = 100000;");
        try (SmtpClient client = new SmtpClient(doors.getFirst())) {
            client.reply();
            client.say("EHLO client.example");
            client.say("MAIL FROM:<" + SPAMMER + ">");
            client.say("RCPT TO:<" + BAIT + ">");
            client.say("DATA");
            client.send(("x".repeat(70) + "\r\n").repeat(3000) + ".\r\n");
            assertThat(client.reply()).startsWith("552 5.3.4");
            assertThat(client.say("NOOP")).startsWith("250");
        }
        assertThat(service.counters().of(TrapOutcome.TOO_LARGE)).isEqualTo(1);
    }

    @Test
    void everySenderIsTakenAndADeclaredSizeThatIsTooLargeCounts() throws Exception {
        TrapService service = start("");
        for (String sender : List.of("foo@bar_baz.example", "a.@docomo.example", "a..b@example.net", "no address")) {
            assertThat(SmtpClient.deliver(doors.getFirst(), sender, BAIT, mail("192.0.2.1", words(30, 100))))
                    .startsWith("250 ");
        }
        assertThat(service.counters().of(TrapOutcome.HELD)).isEqualTo(4);
        try (SmtpClient client = new SmtpClient(doors.getFirst())) {
            client.reply();
            client.say("EHLO client.example");
            assertThat(client.say("MAIL FROM:<a@example.net> SIZE=20000000 BODY=8BITMIME")).startsWith("552 5.3.4");
            assertThat(client.say("MAIL FROM:<a@example.net> SIZE=99999999999")).startsWith("552 5.3.4");
            assertThat(client.say("MAIL FROM:a@example.net SIZE=99999999999999999999")).startsWith("552 5.3.4");
            assertThat(client.say("MAIL FROM:<\"x size=99999999999 \"@example.net> size=1000")).startsWith("250");
        }
        assertThat(service.counters().of(TrapOutcome.TOO_LARGE)).isEqualTo(3);
    }

    /** The library takes the end of the connection within a chunk for the end of the mail. */
    @Test
    void chunksAreNotOffered() throws Exception {
        TrapService service = start("");
        try (SmtpClient client = new SmtpClient(doors.getFirst())) {
            client.reply();
            assertThat(client.say("EHLO client.example")).contains("SIZE " + (10 << 20)).doesNotContain("CHUNKING");
            client.say("MAIL FROM:<a@example.net>");
            client.say("RCPT TO:<" + BAIT + ">");
            assertThat(client.say("BDAT 50000 LAST")).startsWith("502 ");
        }
        assertThat(service.counters().of(TrapOutcome.HELD)).isZero();
    }

    private TrapService startWithTls(String options) throws Exception {
        TlsCertificate.write(folder, "server", "-1d", "IP:127.0.0.1");
        return start("ssl_cert = \"" + folder.resolve("server.crt") + "\"; ssl_key = \"" + folder.resolve("server.key")
                + "\"; " + options);
    }

    /** What a stranger put behind STARTTLS on the wire must not count as a command of the client. */
    @Test
    void mailComesWithTls() throws Exception {
        TrapService service = startWithTls("");
        SSLContext trusted = Certificates.trustedBy(folder.resolve("server.crt"));
        try (SmtpClient client = new SmtpClient(doors.getFirst())) {
            client.reply();
            assertThat(client.say("EHLO client.example")).contains("250-STARTTLS\n");
            client.send("STARTTLS\r\nMAIL FROM:<injected@example.net>\r\n");
            assertThat(client.reply()).startsWith("220 ");
            client.secure(trusted);
            assertThat(client.say("EHLO client.example")).startsWith("250-trap\n").doesNotContain("STARTTLS");
            assertThat(client.say("STARTTLS")).startsWith("454 ");
            assertThat(client.say("MAIL FROM:<" + SPAMMER + ">")).startsWith("250 ");
            client.say("RCPT TO:<" + BAIT + ">");
            client.say("DATA");
            client.send(mail("192.0.2.1", words(40, 100)) + "\r\n.\r\n");
            assertThat(client.reply()).startsWith("250 ");
        }
        assertThat(service.counters().of(TrapOutcome.HELD)).isEqualTo(1);
        await(() -> service.metrics().stream().filter(each -> each.name().equals("weir_trap_connections_open"))
                .allMatch(each -> each.samples().getFirst().value() == 0));
        assertThat(service.counters().of(Event.TLS_FAILURE)).isZero();
        assertThat(service.metrics()).filteredOn(metric -> metric.name().equals("weir_trap_tls_end_seconds"))
                .singleElement().satisfies(end -> assertThat(end.samples().getFirst().value())
                        .isGreaterThan(System.currentTimeMillis() / 1e3));
        try (SmtpClient near = new SmtpClient(doors.get(1))) {
            near.reply();
            assertThat(near.say("LHLO client.example")).as("LMTP").doesNotContain("STARTTLS");
            assertThat(near.say("STARTTLS")).startsWith("454 ");
        }
    }

    @Test
    void withoutACertificateThereIsNoTls() throws Exception {
        start("");
        try (SmtpClient client = new SmtpClient(doors.getFirst())) {
            client.reply();
            assertThat(client.say("EHLO client.example")).doesNotContain("STARTTLS");
            assertThat(client.say("STARTTLS")).startsWith("454 ");
            assertThat(client.say("NOOP")).startsWith("250 ");
        }
    }

    @Test
    void aFailedHandshakeIsCounted() throws Exception {
        TrapService service = startWithTls("");
        try (SmtpClient client = new SmtpClient(doors.getFirst())) {
            client.reply();
            assertThat(client.say("STARTTLS")).startsWith("220 ");
            client.send("NO TLS AT ALL\r\n");
        }
        await(() -> service.counters().of(Event.TLS_FAILURE) == 1);
    }

    /** Neither before nor after the handshake can a client hold a place. */
    @Test
    void silenceWithTlsEnds() throws Exception {
        TrapService service = startWithTls("timeout = 4s;");
        SSLContext trusted = Certificates.trustedBy(folder.resolve("server.crt"));
        try (SmtpClient before = new SmtpClient(doors.getFirst());
                SmtpClient after = new SmtpClient(doors.getFirst())) {
            for (SmtpClient client : List.of(before, after)) {
                client.reply();
                client.say("STARTTLS");
            }
            after.secure(trusted);
            await(() -> service.counters().of(Event.CONNECTION) == 2);
            await(() -> service.metrics().stream().filter(each -> each.name().equals("weir_trap_connections_open"))
                    .allMatch(each -> each.samples().getFirst().value() == 0));
        }
    }

    @Test
    void aStopIsNoError() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger("org.subethamail");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            for (int stop = 0; stop < 10; stop++) {
                TrapService service = start("");
                try (SmtpClient client = new SmtpClient(doors.getFirst())) {
                    client.reply();
                    service.close();
                    assertThat(client.reply()).isEqualTo("<end>");
                    assertThat(service.counters().of(Event.CONNECTION)).isEqualTo(1);
                }
            }
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.WARN)).isEmpty();
    }

    @Test
    void lmtpHasAReplyForEachRecipient() throws Exception {
        TrapService service = start("");
        List<String> replies = SmtpClient.deliverLmtp(doors.get(1), List.of(BAIT, "nobody@example.org",
                "lure@example.org"), mail("192.0.2.1", words(15, 100) + "\r\nLHLO is not a greeting here"));
        assertThat(replies).hasSize(4);
        assertThat(replies.get(0)).startsWith("550 5.1.1");
        assertThat(replies.get(1)).isEqualTo(replies.get(2)).startsWith("250 ");
        assertThat(replies.get(3)).startsWith("221");
        // A mail to two traps is one mail.
        assertThat(service.counters().of(TrapOutcome.HELD)).isEqualTo(1);
    }

    @Test
    void theSenderTriesAgainWhileTheStorageIsAway() throws Exception {
        TrapService service = start("");
        storage.close();
        assertThat(send(BAIT, mail("192.0.2.1", words(16, 100)))).startsWith("451 4.3.0");
        assertThat(service.counters().of(TrapOutcome.NOT_NOW)).isEqualTo(1);
    }

    @Test
    void aSkippedMailIsNotLearned() throws Exception {
        TrapService service = start("min_sources = 1;");
        String mail = mail("192.0.2.1", words(17, 100));
        Digest digest = clients.getFirst().hashes(mail.getBytes(StandardCharsets.ISO_8859_1), 1).rules()
                .firstEntry().getValue().getFirst().digest();
        storage.gate().skips().add(new SkipList.Entry(digest, "template of a shop", Long.MAX_VALUE));
        send(BAIT, mail);
        assertThat(service.counters().of(TrapOutcome.SKIP_LIST)).isEqualTo(1);
    }

    /** The storage adds the hashes that are not on its skip list, so their weight must not grow with each copy. */
    @Test
    void aMailThatIsPartlySkippedIsLearnedOnce() throws Exception {
        TrapService service = start("min_sources = 1;");
        String text = words(32, 100);
        String mail = parts("192.0.2.1", text);
        List<Digest> hashes = clients.getFirst().hashes(mail.getBytes(StandardCharsets.ISO_8859_1), 1).rules()
                .firstEntry().getValue().stream().map(hash -> hash.digest()).toList();
        assertThat(hashes).hasSize(2);
        storage.gate().skips().add(new SkipList.Entry(hashes.getLast(), "footer", Long.MAX_VALUE));
        for (int copy = 0; copy < 3; copy++) {
            send(BAIT, mail);
        }
        assertThat(service.counters().of(TrapOutcome.SKIP_LIST)).isEqualTo(1);
        assertThat(service.counters().of(TrapOutcome.KNOWN)).isEqualTo(2);
        assertThat(matches(mail("192.0.2.1", text))).singleElement()
                .satisfies(match -> assertThat(match.value()).isEqualTo(5));
    }

    private static String parts(String host, String text) {
        return mail(host, "").strip() + "\r\nContent-Type: multipart/mixed; boundary=cut\r\n\r\n--cut\r\n"
                + "Content-Type: text/plain\r\n\r\n" + text + "\r\n--cut\r\nContent-Type: text/plain\r\n\r\n"
                + words(33, 50) + "\r\n--cut--\r\n";
    }

    /** The rule that learns does not hash the subject; another one hashes it with each of many texts. */
    @Test
    void aMailThatIsTooDearForTheScanIsNotHashed() throws Exception {
        clients = List.of(client("no_subject = true; short_text_direct_hash = true;", """
                rule "dear" {
                  algorithm = "mumhash"; servers = "127.0.0.1:%d"; symbol = "DEAR"; mime_types = ["*"];
                  read_only = true; short_text_direct_hash = true; fuzzy_map = { DEAR { flag = 5; max_score = 20; } }
                }
                """.formatted(port)));
        TrapService service = start("");
        StringBuilder mail = new StringBuilder("Subject: " + "x".repeat(10_000)
                + "\r\nContent-Type: multipart/mixed; boundary=cut\r\n\r\n--cut\r\n\r\n" + words(34, 100));
        for (int part = 0; part < 200; part++) {
            mail.append("\r\n--cut\r\nContent-Type: text/plain\r\n\r\nword").append(part);
        }
        assertThat(send(BAIT, mail + "\r\n--cut--\r\n")).startsWith("250 ");
        assertThat(service.counters().of(TrapOutcome.NOT_HASHED)).isEqualTo(1);
    }

    @Test
    void aDefectIsAnOutcome() throws Exception {
        FuzzyCheck broken = FuzzyCheck.open(clients.getFirst().settings(), HASHER,
                FuzzyCheckOptions.DEFAULT.withExecutor(_ -> {
                    throw new IllegalStateException("expected by the test");
                }));
        open.push(broken);
        clients = List.of(broken);
        Path maildir = folder.resolve("broken");
        for (String inner : List.of("new", "cur")) {
            Files.createDirectories(maildir.resolve(inner));
        }
        Files.writeString(maildir.resolve("new/1.a.host"), mail("192.0.2.1", words(35, 100)));
        Files.writeString(maildir.resolve("new/2.a.host"), mail("192.0.2.1", words(36, 100)));
        TrapService service = start("maildir = \"" + maildir + "\";");
        await(() -> service.counters().of(TrapOutcome.FAILED) == 2);
        assertThat(send(BAIT, mail("192.0.2.1", words(37, 100)))).startsWith("451 ");
    }

    @Test
    void maildirAndMboxAreReadOnceAndResumeWhereTheyStopped() throws Exception {
        Path maildir = folder.resolve("maildir");
        for (String inner : List.of("tmp", "new", "cur")) {
            Files.createDirectories(maildir.resolve(inner));
        }
        Path mbox = folder.resolve("mbox");
        String one = mail("192.0.2.1", words(18, 100));
        String two = mail("198.51.100.1", words(18, 100));
        Files.writeString(maildir.resolve("new/1.a.host"), one);
        Files.writeString(mbox, "From a@example.org Tue Nov 24 10:00:00 2026\n" + mail("192.0.2.1", words(19, 100))
                + "\n\n");
        TrapSettings settings = TrapConfigs.parse("poll = 1s; maildir = \"" + maildir + "\"; mbox = \"" + mbox + "\";");
        try (TrapService service = start(settings)) {
            await(() -> service.counters().of(TrapOutcome.HELD) == 2);
            // A mail client marks the mail as read.
            Files.move(maildir.resolve("new/1.a.host"), maildir.resolve("cur/1.a.host:2,S"));
        }
        Files.writeString(maildir.resolve("new/2.b.host"), two);
        Files.writeString(mbox, Files.readString(mbox) + "From b@example.org Tue Nov 24 11:00:00 2026\n"
                + mail("198.51.100.1", words(19, 100)) + "\n\n");
        TrapService service = start(settings);
        await(() -> service.counters().of(TrapOutcome.LEARNED) == 2);
        assertThat(service.counters().of(TrapOutcome.HELD)).isZero();
        assertThat(service.counters().of(TrapOutcome.KNOWN)).isZero();
    }

    /** Returns a mail of a user with another one attached. */
    private static String forwarded(String mail) {
        return "From: user@example.org\r\nSubject: spam!\r\nMIME-Version: 1.0\r\n"
                + "Content-Type: multipart/mixed; boundary=cut\r\n\r\n--cut\r\nContent-Type: text/plain\r\n\r\n"
                + "Dear Jane Doe, see below\r\n--cut\r\nContent-Type: message/rfc822\r\n\r\n" + mail
                + "\r\n--cut--\r\n";
    }

    /** Returns a report of a mail provider (RFC 5965). */
    private static String feedback(String type, String user, String mail) {
        return "From: feedback@provider.example\r\nSubject: FW: sale\r\nMIME-Version: 1.0\r\n"
                + "Content-Type: multipart/report; report-type=feedback-report; boundary=cut\r\n\r\n"
                + "--cut\r\nContent-Type: text/plain\r\n\r\nThis is a report.\r\n"
                + "--cut\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: " + type
                + "\r\nUser-Agent: Feedback/1.0\r\nVersion: 1\r\nOriginal-Rcpt-To: <" + user + ">\r\n\r\n"
                + "--cut\r\nContent-Type: message/rfc822\r\n\r\n" + mail + "\r\n--cut--\r\n";
    }

    private String complain(String user, String to, String report) throws Exception {
        return SmtpClient.deliver(doors.getFirst(), user, to, report);
    }

    @Test
    void complaintsCountOncePerUserAndVotesToKeepTakeThemBack() throws Exception {
        TrapService service = start("complaints { " + COMPLAINTS + " }");
        String mail = mail("192.0.2.1", words(20, 100));
        assertThat(complain("jane.doe@example.org", "spam@example.org", forwarded(mail))).startsWith("250 ");
        complain("Jane.Doe@example.org", "spam@example.org", forwarded(mail));
        assertThat(service.counters().of(TrapOutcome.HELD)).isEqualTo(2);
        assertThat(matches(mail)).isEmpty();
        complain("feedback@provider.example", "spam@example.org", feedback("abuse", "john@provider.example", mail));
        assertThat(service.counters().of(TrapOutcome.LEARNED)).isEqualTo(1);
        assertThat(matches(mail)).singleElement().satisfies(match -> assertThat(match.value()).isEqualTo(10));
        complain("ann@example.org", "spam@example.org", forwarded(mail));
        assertThat(matches(mail)).singleElement().satisfies(match -> assertThat(match.value()).isEqualTo(15));

        // Others want to keep the newsletter, one of them by a report of a provider, and one who complained before.
        complain("bob@example.org", "keep@example.org", forwarded(mail));
        assertThat(matches(mail)).singleElement().satisfies(match -> assertThat(match.value()).isEqualTo(10));
        complain("feedback@provider.example", "spam@example.org",
                feedback("not-spam", "john@provider.example", mail));
        assertThat(service.counters().of(TrapOutcome.LOWERED)).isEqualTo(2);
        assertThat(matches(mail)).isEmpty();
    }

    /** Those who wait for a campaign must count the votes that came before it is their turn. */
    @Test
    void complaintsAtTheSameTimeAllCount() throws Exception {
        CountDownLatch learning = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        FuzzyCheck slow = FuzzyCheck.open(clients.getFirst().settings(), HASHER, FuzzyCheckOptions.DEFAULT
                .withExecutor(Runnable::run).withListener((digest, tag, submitter) -> {
                    learning.countDown();
                    awaitQuietly(goOn);
                }));
        open.push(slow);
        clients = List.of(slow);
        TrapService service = start("complaints { " + COMPLAINTS + " }");
        String mail = mail("192.0.2.1", words(40, 100));
        assertThat(post(service, "first", "no", mail)).contains("held");
        List<Thread> users = new ArrayList<>();
        for (int user = 0; user < 9; user++) {
            String name = "user" + user;
            users.add(Thread.ofPlatform().start(() -> {
                try {
                    post(service, name, "no", mail);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }));
            if (user == 0) {
                assertThat(learning.await(1, TimeUnit.MINUTES)).isTrue();
            } else {
                await(() -> users.getLast().getState() == Thread.State.BLOCKED);
            }
        }
        goOn.countDown();
        for (Thread user : users) {
            user.join();
        }
        // The next one in turn learns what all of them deserve.
        assertThat(service.counters().of(TrapOutcome.RAISED)).isEqualTo(1);
        assertThat(service.counters().of(TrapOutcome.KNOWN)).isEqualTo(7);
        assertThat(service.counters().of(TrapOutcome.LOWERED)).isZero();
        assertThat(matches(mail)).singleElement().satisfies(match -> assertThat(match.value()).isEqualTo(50));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A spammer attaches the newsletter of someone else, with a report that names any user and any vote. */
    @Test
    void aMailInAFolderAndByHttpIsNoReportUnlessTheOperatorSaysSo() throws Exception {
        String newsletter = mail("192.0.2.1", words(50, 100));
        List<String> spam = new ArrayList<>();
        for (String vote : List.of("abuse", "abuse", "not-spam")) {
            spam.add("Delivered-To: jane@example.org\r\n"
                    + feedback(vote, "user" + spam.size() + "@example.org", newsletter)
                            .replace("This is a report.", words(51, 200)));
        }
        Path mbox = folder.resolve("junk");
        for (String mail : spam) {
            Files.writeString(mbox, "From a@example.net Tue Nov 24 10:00:00 2026\n" + mail + "\n\n",
                    StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        String complaints = "poll = 1s; complaints { mbox = \"" + mbox + "\"; " + COMPLAINTS;
        try (TrapService service = start(complaints + " }")) {
            // Jane complains three times about one mail, which is one vote.
            await(() -> service.counters().of(TrapOutcome.HELD) == 3);
            // A program has Jane's name from a login.
            assertThat(post(service, "john", "no", spam.getFirst())).contains("\"outcome\":\"learned\"");
            assertThat(post(service, "john", "no", spam.get(1))).contains("\"outcome\":\"known\"");
        }
        Files.delete(folder.resolve("traps.db"));
        try (TrapService service = start(complaints + " reports = true; }")) {
            await(() -> service.counters().of(TrapOutcome.LEARNED) == 1
                    && service.counters().of(TrapOutcome.LOWERED) == 1);
            assertThat(post(service, "john", "yes", spam.getFirst())).contains("\"outcome\":\"learned\"");
            assertThat(post(service, "john", "yes", spam.get(1))).contains("\"outcome\":\"known\"");
            assertThat(post(service, "john", "yes", newsletter)).contains("\"outcome\":\"no_report\"");
        }
    }

    private static String post(TrapService service, String user, String report, String mail) throws Exception {
        HttpHeaders headers = new HttpHeaders(List.of(new HttpHeaders.Field("user", user),
                new HttpHeaders.Field("report", report)));
        HttpHead head = new HttpHead("POST", "/complaint", HttpHeaders.NONE, headers);
        return new String(service.routes().getFirst().endpoint().answer(new Endpoint.Call(
                head.with(mail.getBytes(StandardCharsets.ISO_8859_1)), headers, AccessDecision.FULL,
                BodyBudget.ofHeap().share(), () -> new Requester("127.0.0.1", "secure_ip"))).body(),
                StandardCharsets.UTF_8);
    }

    @Test
    void theNameOfAUserIsNowhere() throws Exception {
        List<Submitter> submitters = new ArrayList<>();
        FuzzyCheck listened = FuzzyCheck.open(clients.getFirst().settings(), HASHER, FuzzyCheckOptions.DEFAULT
                .withExecutor(Runnable::run).withListener((digest, tag, submitter) -> submitters.add(submitter)));
        open.push(listened);
        clients = List.of(listened);
        try (TrapService service = start("complaints { " + COMPLAINTS + " }")) {
            String mail = mail("192.0.2.1", words(21, 100)).replace("Subject:", "To: jane.doe@example.org\r\nSubject:");
            complain("jane.doe@example.org", "spam@example.org", forwarded(mail));
            complain("john@example.org", "spam@example.org", forwarded(mail));
            assertThat(service.counters().of(TrapOutcome.LEARNED)).isEqualTo(1);
        }
        assertThat(submitters).isNotEmpty().allSatisfy(submitter -> assertThat(submitter).isEqualTo(
                new Submitter("192.0.2.1", "complaint", "2 complain, 0 keep; 1 hash, near none", "")));
        assertThat(Files.readString(folder.resolve("traps.db"), StandardCharsets.ISO_8859_1))
                .doesNotContainIgnoringCase("jane").doesNotContainIgnoringCase("john@");
    }

    /** Returns a mail with a part for a program and the quoted mail, as bounces and receipts have them. */
    private static String machine(String fields, String type, String mail) {
        return "From: Mail System <postmaster@mx.example.net>\r\nSubject: Undelivered\r\nMIME-Version: 1.0\r\n" + fields
                + "boundary=cut\r\n\r\n--cut\r\nContent-Type: text/plain\r\n\r\nThis is the mail system.\r\n"
                + "--cut\r\nContent-Type: " + type + "\r\n\r\nReporting-MTA: dns; mx.example.net\r\n\r\n"
                + "Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n"
                + "--cut\r\nContent-Type: message/rfc822\r\n\r\n" + mail + "\r\n--cut--\r\n";
    }

    @Test
    void bouncesReceiptsAndAnswersAreNoVotes() throws Exception {
        TrapService service = start("complaints { " + COMPLAINTS + " }");
        String mail = mail("192.0.2.1", words(60, 100));
        String report = "Content-Type: multipart/report; report-type=";
        String mixed = "Content-Type: multipart/mixed; ";
        for (String bounce : List.of(machine(report + "delivery-status; ", "message/delivery-status", mail),
                machine(report + "Delivery-Status; ", "message/global-delivery-status", mail),
                machine("X-Failed-Recipients: a@b.example\r\n" + mixed, "text/plain", mail),
                machine(mixed, "message/delivery-status", mail))) {
            for (String to : List.of("spam@example.org", "keep@example.org")) {
                assertThat(complain("a@example.org", to, bounce)).startsWith("250 ");
            }
        }
        assertThat(service.counters().of(TrapOutcome.BOUNCE)).isEqualTo(8);
        assertThat(complain("", "spam@example.org", forwarded(mail))).startsWith("250 ");
        assertThat(service.counters().of(TrapOutcome.BOUNCE)).isEqualTo(9);
        for (String answer : List.of(
                machine(report + "disposition-notification; ", "message/disposition-notification", mail),
                machine(mixed, "message/disposition-notification", mail), "Auto-Submitted: auto-replied\r\n"
                        + forwarded(mail),
                "Precedence: auto_reply\r\n" + forwarded(mail),
                "X-Autoreply: yes\r\n" + forwarded(mail), "X-Auto-Response-Suppress: All\r\n" + forwarded(mail))) {
            assertThat(complain("a@example.org", "spam@example.org", answer)).startsWith("250 ");
        }
        assertThat(service.counters().of(TrapOutcome.AUTOMATIC)).isEqualTo(6);
        // A user who forwards a bounce complains about no campaign either.
        complain("a@example.org", "spam@example.org", forwarded(
                machine(report + "delivery-status; ", "message/delivery-status", mail).replace("cut", "inner")));
        assertThat(service.counters().of(TrapOutcome.BOUNCE)).isEqualTo(10);
        assertThat(matches(mail)).isEmpty();

        // A provider's report is a vote, even with an empty sender and although a program sent it.
        complain("", "spam@example.org", feedback("abuse", "john@provider.example", mail));
        complain("feedback@provider.example", "spam@example.org",
                "Auto-Submitted: auto-generated\r\n" + feedback("abuse", "jane@provider.example", mail));
        assertThat(service.counters().of(TrapOutcome.LEARNED)).isEqualTo(1);
        assertThat(matches(mail)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/octet-stream\r\nContent-Disposition: attachment; filename=\"Sale now.eml\"",
        "application/octet-stream; name=sale.EML", "application/octet-stream;\r\n name=\"=?utf-8?Q?sale=2Eeml?=\"",
        "application/octet-stream\r\nContent-Disposition: attachment; filename*=utf-8''g%C3%BC.eml",
        "application/x-msg\r\nContent-Disposition: attachment; filename*0=\"a long\"; filename*1=\" name.eml\"",
        "message/rfc822"})
    void aFileThatIsAMailIsAForwardedMail(String type) throws Exception {
        TrapService service = start("complaints { " + COMPLAINTS + " }");
        String mail = mail("192.0.2.1", words(61, 100));
        assertThat(complain("a@example.org", "spam@example.org", forwarded(mail).replace("message/rfc822", type)))
                .startsWith("250 ");
        assertThat(service.counters().of(TrapOutcome.HELD)).isEqualTo(1);
        String packed = "application/octet-stream; name=a.eml\r\nContent-Transfer-Encoding: base64\r\n\r\n"
                + Base64.getMimeEncoder().encodeToString(mail.getBytes(StandardCharsets.UTF_8));
        complain("b@example.org", "spam@example.org", forwarded("").replace("message/rfc822\r\n\r\n", packed));
        assertThat(service.counters().of(TrapOutcome.LEARNED)).isEqualTo(1);
    }

    @Test
    void whatIsRefusedSaysWhatWasNotDone() throws Exception {
        TrapService service = start("complaints { " + COMPLAINTS + " }");
        assertThat(complain("a@example.org", "spam@example.org",
                forwarded("x").replace("message/rfc822", "application/vnd.ms-outlook; name=sale.msg")))
                .startsWith("554 5.6.0 No attached file is a mail: attach the mail as message/rfc822");
        assertThat(complain("a@example.org", "spam@example.org",
                forwarded("Subject: x\r\n").replace("message/rfc822", "text/rfc822-headers")))
                .startsWith("554 5.6.0 The report has only a part of the mail: attach the whole mail");
        assertThat(complain("a@example.org", "spam@example.org", feedback("auth-failure", "b@example.org", "x")))
                .startsWith("554 5.6.0 A report of this type is not a vote");
        assertThat(service.counters().of(TrapOutcome.NO_REPORT)).isEqualTo(3);
    }

    @Test
    void aReportWithoutAMailTellsTheUserWhatToDo() throws Exception {
        TrapService service = start("complaints { " + COMPLAINTS + " }");
        assertThat(complain("a@example.org", "spam@example.org", mail("192.0.2.1", words(22, 100))))
                .startsWith("554 5.6.0 Forward the mail as an attachment");
        complain("a@example.org", "spam@example.org", feedback("auth-failure", "b@example.org", "x"));
        assertThat(service.counters().of(TrapOutcome.NO_REPORT)).isEqualTo(2);
    }

    @Test
    void aRecipientOfAnotherKindComesSeparately() throws Exception {
        start("complaints { " + COMPLAINTS + " }");
        try (SmtpClient client = new SmtpClient(doors.getFirst())) {
            client.reply();
            client.say("EHLO client.example");
            client.say("MAIL FROM:<a@example.org>");
            assertThat(client.say("RCPT TO:<spam@example.org>")).startsWith("250");
            assertThat(client.say("RCPT TO:<" + BAIT + ">")).startsWith("452 4.5.3");
        }
    }

    @Test
    void mailOfOwnUsersAndOfSignedSendersIsLearnedAsWanted() throws Exception {
        TrapService service = start("""
                wanted { addresses = "copy@example.org"; senders = "example.net"; trusted_hosts = "mx.example.org"; }
                """);
        String own = mail("192.0.2.1", words(23, 100));
        assertThat(send("copy@example.org", own)).startsWith("250 ");
        assertThat(service.counters().of(TrapOutcome.NOT_WANTED)).isEqualTo(1);
        send("copy@example.org", own.replace("with ESMTP;", "with ESMTPSA;"));
        assertThat(service.counters().of(TrapOutcome.LEARNED)).isEqualTo(1);
        assertThat(matches(own)).singleElement().satisfies(match -> assertThat(match.flag()).isEqualTo(3));

        String bank = mail("192.0.2.1", words(24, 100)).replace("sale@example.net", "news@mail.example.net");
        send("copy@example.org", bank);
        assertThat(service.counters().of(TrapOutcome.NOT_WANTED)).isEqualTo(2);
        send("copy@example.org", "Authentication-Results: mx.example.org; dkim=pass header.d=example.net\r\n" + bank);
        assertThat(service.counters().of(TrapOutcome.LEARNED)).isEqualTo(2);

        // The trap then leaves its template alone, and a hijacked account teaches nothing.
        send(BAIT, bank);
        assertThat(service.counters().of(TrapOutcome.NEAR_HAM)).isEqualTo(1);
        String spam = mail("192.0.2.1", words(25, 100));
        clients.getFirst().learn(spam.getBytes(StandardCharsets.ISO_8859_1), LearnRequest.add(1, 20)).get();
        send("copy@example.org", spam.replace("with ESMTP;", "with ESMTPSA;"));
        assertThat(service.counters().of(TrapOutcome.NEAR_SPAM)).isEqualTo(1);
    }
}
