package dev.weir.trap;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import dev.weir.config.Configuration;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.hash.MailHasher;
import dev.weir.model.Digest;
import dev.weir.model.Networks;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.Submitter;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.storage.access.gate.SkipList;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.Listen;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.stream.StreamLimits;
import dev.weir.trap.decision.TrapCounters.Event;
import dev.weir.trap.decision.TrapOutcome;
import dev.weir.trap.settings.ComplaintPolicy;
import dev.weir.trap.settings.ComplaintSettings;
import dev.weir.trap.settings.TrapAddresses;
import dev.weir.trap.settings.TrapPolicy;
import dev.weir.trap.settings.TrapSettings;
import dev.weir.trap.settings.TrapSources;
import dev.weir.trap.settings.WantedSettings;
import dev.weir.trap.smtp.TrapDoors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of traps in front of a real storage, with a client that speaks SMTP and LMTP. */
@Timeout(300)
final class TrapServiceTest {
    private static final MailHasher HASHER = MailHasher.standard();
    private static final String SPAMMER = "spammer@example.net";
    private static final String BAIT = "bait@example.org";
    private static final long PATIENCE = TimeUnit.MINUTES.toNanos(1);

    @TempDir
    Path folder = Path.of("unused");
    private final ArrayDeque<AutoCloseable> open = new ArrayDeque<>();
    private final TrapSettings usual = TrapSettings.NONE
            .withDoors(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                    List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))
            .withSources(TrapSources.NONE.withAddresses(TrapAddresses.of(List.of(BAIT, "lure@example.org",
                    "trap.example"))));
    private List<InetSocketAddress> doors = List.of();
    private StorageServer storage = new StorageServer(StorageConfig.of(Path.of("unused")));
    private List<FuzzyCheck> clients = List.of();

    @BeforeEach
    void startStorage() throws Exception {
        storage = new StorageServer(StorageConfig.of(folder.resolve("data"))
                .withListen(
                        new Listen(List.of(new Bind.Inet(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))),
                                StreamLimits.DEFAULT))
                .withAllowUpdate(StorageConfig.loopback()));
        open.push(storage);
        String text = """
                fuzzy_check { rule "local" {
                  algorithm = "mumhash"; servers = "127.0.0.1:%d"; symbol = "LOCAL"; mime_types = ["*"];
                  timeout = 5s; read_only = false;
                  fuzzy_map = { SPAM { flag = 1; max_score = 20; } HAM { flag = 3; max_score = 20; } }
                } }
                """.formatted(storage.start().getPort());
        UclObject root = (UclObject) Ucl.parse("test.conf", text, UclSettings.PLAIN).root();
        FuzzyCheckSettings rules = FuzzyCheckSettings.of(new Configuration(Configuration.Shape.WHOLE_FILE,
                "test.conf", root, List.of(), List.of()), new DiskFiles());
        FuzzyCheck client = FuzzyCheck.open(rules, HASHER, FuzzyCheckOptions.DEFAULT.withExecutor(Runnable::run));
        open.push(client);
        clients = List.of(client);
    }

    @AfterEach
    void stop() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private TrapService start(TrapSettings settings) throws Exception {
        TrapService service = TrapService.open(settings, TrapDoors.bind(settings.smtp(), settings.lmtp()),
                clients.getFirst(), folder.resolve("traps.db"));
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
        TrapService service = start(usual);
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
        TrapService service = start(usual);
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
        try (TrapService first = start(usual)) {
            send(BAIT, mail);
            assertThat(first.counters().of(TrapOutcome.HELD)).isEqualTo(1);
        }
        TrapService second = start(usual);
        send("lure@example.org", mail);
        assertThat(second.counters().of(TrapOutcome.LEARNED)).isEqualTo(1);
    }

    @Test
    void mailThatMayBeWantedIsNotLearned() throws Exception {
        TrapService service = start(usual.withPolicy(TrapPolicy.DEFAULT.withSources(1, 5, 50)
                .withOwn(Networks.dualStack("10.0.0.0/8"), Set.of("example.com"))));
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
        TrapService service = start(usual.withPolicy(TrapPolicy.DEFAULT.withOwn(Networks.dualStack("10.0.0.0/8"),
                Set.of())));
        String forged = mail("192.0.2.1", words(13, 100)).replace("From: Sale",
                "Received: from pc (pc [10.0.0.1]) by mail.example.net\r\nFrom: Sale");
        send(BAIT, forged);
        send(BAIT, forged.replace("10.0.0.1", "10.0.0.2"));
        assertThat(service.counters().of(TrapOutcome.HELD)).isEqualTo(2);
    }

    @Test
    void recipientsThatAreNoTrapsAreRefused() throws Exception {
        TrapService service = start(usual);
        assertThat(send("user@example.org", mail("192.0.2.1", words(14, 100)))).startsWith("550 5.1.1");
        assertThat(service.counters().of(Event.NO_TRAP)).isEqualTo(1);
    }

    @Test
    void aMailThatIsTooLargeIsRefusedAndTheConnectionGoesOn() throws Exception {
        TrapService service = start(usual.withLimits(usual.limits().withMailBytes(100_000)));
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
    void lmtpHasAReplyForEachRecipient() throws Exception {
        TrapService service = start(usual);
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
        TrapService service = start(usual);
        storage.close();
        assertThat(send(BAIT, mail("192.0.2.1", words(16, 100)))).startsWith("451 4.3.0");
        assertThat(service.counters().of(TrapOutcome.NOT_NOW)).isEqualTo(1);
    }

    @Test
    void aSkippedMailIsNotLearned() throws Exception {
        TrapService service = start(usual.withPolicy(TrapPolicy.DEFAULT.withSources(1, 5, 50)));
        String mail = mail("192.0.2.1", words(17, 100));
        Digest digest = clients.getFirst().hashes(mail.getBytes(StandardCharsets.ISO_8859_1), 1).rules()
                .firstEntry().getValue().getFirst().digest();
        storage.gate().skips().add(new SkipList.Entry(digest, "template of a shop", Long.MAX_VALUE));
        send(BAIT, mail);
        assertThat(service.counters().of(TrapOutcome.SKIP_LIST)).isEqualTo(1);
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
        TrapSettings settings = TrapSettings.NONE
                .withSources(TrapSources.NONE.withFolders(List.of(maildir), List.of(mbox)))
                .withLimits(usual.limits().withPoll(Duration.ofMillis(50)));
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

    private static TrapAddresses addresses(String... texts) {
        return TrapAddresses.of(List.of(texts));
    }

    private TrapSettings complaining() {
        return usual.withComplaints(Optional.of(new ComplaintSettings(
                TrapSources.NONE.withAddresses(addresses("spam@example.org")), addresses("keep@example.org"),
                new ComplaintPolicy(1, 2, 5, 50, 1))));
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
        TrapService service = start(complaining());
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

    @Test
    void theNameOfAUserIsNowhere() throws Exception {
        List<Submitter> submitters = new ArrayList<>();
        FuzzyCheck listened = FuzzyCheck.open(clients.getFirst().settings(), HASHER, FuzzyCheckOptions.DEFAULT
                .withExecutor(Runnable::run).withListener((digest, tag, submitter) -> submitters.add(submitter)));
        open.push(listened);
        clients = List.of(listened);
        try (TrapService service = start(complaining())) {
            String mail = mail("192.0.2.1", words(21, 100)).replace("Subject:", "To: jane.doe@example.org\r\nSubject:");
            complain("jane.doe@example.org", "spam@example.org", forwarded(mail));
            complain("john@example.org", "spam@example.org", forwarded(mail));
            assertThat(service.counters().of(TrapOutcome.LEARNED)).isEqualTo(1);
        }
        assertThat(submitters).isNotEmpty().allSatisfy(submitter -> assertThat(submitter).isEqualTo(
                new Submitter("192.0.2.1", "complaint", "2 complain, 0 keep; 1 hashes, near none", "")));
        assertThat(Files.readString(folder.resolve("traps.db"), StandardCharsets.ISO_8859_1))
                .doesNotContainIgnoringCase("jane").doesNotContainIgnoringCase("john@");
    }

    @Test
    void aReportWithoutAMailTellsTheUserWhatToDo() throws Exception {
        TrapService service = start(complaining());
        assertThat(complain("a@example.org", "spam@example.org", mail("192.0.2.1", words(22, 100))))
                .startsWith("554 5.6.0 Forward the mail as an attachment");
        complain("a@example.org", "spam@example.org", feedback("auth-failure", "b@example.org", "x"));
        assertThat(service.counters().of(TrapOutcome.NO_REPORT)).isEqualTo(2);
    }

    @Test
    void aRecipientOfAnotherKindComesSeparately() throws Exception {
        start(complaining());
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
        TrapService service = start(usual.withWanted(Optional.of(WantedSettings.DEFAULT
                .withSources(TrapSources.NONE.withAddresses(addresses("copy@example.org")))
                .withSenders(Set.of("example.net"), Set.of("mx.example.org")))));
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
