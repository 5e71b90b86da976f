package dev.weir.interop;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.milter.client.MilterAnswer;
import dev.weir.milter.client.MilterClient;
import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

/** A mailbox that was broken into, from the milter to the real fail2ban (docs/integrate/outgoing.md). */
class OutgoingTest {
    private static final Pattern FILTER = Pattern.compile("```ini\n(# /etc/fail2ban/filter\\.d/.*?)```",
            Pattern.DOTALL);
    private static final int MOST = 5;

    @TempDir
    private Path scratch = Path.of("");

    private static byte[] mail(String name) {
        return """
                From: alice@example.org
                To: %s@example.net
                Subject: A transfer
                Content-Type: text/plain

                Dear %s, our bank has a large amount of money for the heirs of a customer who died in an accident last
                year without any relatives, and I kindly ask you for your help with the transfer, of which you get a
                third. Please answer with your name and address and the number of your account, and keep this strictly
                between us. My secretary will then send you the papers that a lawyer has prepared, which you sign and
                return together with a small fee for the ministry, and within a week the whole amount is on your
                account, as the law requires.
                """
                .formatted(name, name).replace("\n", "\r\n").getBytes(ISO_8859_1);
    }

    private static MilterAnswer send(MilterClient client, String user, String recipient) throws Exception {
        if (!user.isEmpty()) {
            client.send('D', "M{auth_authen}", user);
        }
        client.envelope("4XyZ", "alice@example.org", List.of(recipient + "@example.net"));
        return client.mail(mail(recipient)).getLast();
    }

    @Test
    void theMailboxIsStoppedAndItsAddressFound() throws Exception {
        Programs.require("fail2ban-regex");
        int port = FreePort.find();
        int milter = FreePort.find();
        Path configuration = Files.writeString(scratch.resolve("weir.conf"), """
                worker "fuzzy" { bind_socket = "127.0.0.1:%1$d"; hash_file = "%2$s/data/fuzzy.db"; }
                worker "milter" { bind_socket = "127.0.0.1:%3$d"; }
                actions { reject = 15; add_header = 6; }
                fuzzy_check {
                  outgoing { max_recipients = %4$d; score = 20; }
                  rule "local" { algorithm = "mumhash"; servers = "127.0.0.1:%1$d"; symbol = "LOCAL"; max_score = 20;
                    fuzzy_map = { BAD { flag = 1; max_score = 20; } } }
                }
                """.formatted(port, scratch, milter, MOST));
        String log;
        try (WeirStorage storage = WeirStorage.configured(configuration);
                MilterClient client = MilterClient.connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), milter))) {
            client.negotiate(6, MilterClient.ALL_ACTIONS, MilterClient.ALL_STEPS);
            client.client("client.example", "192.0.2.7");
            for (int i = 0; i < MOST; i++) {
                assertThat(send(client, "alice", "bob" + i).code()).as("mail %d", i).isEqualTo('c');
                assertThat(send(client, "", "bob" + i).code()).as("without a login").isEqualTo('c');
            }
            assertThat(send(client, "alice", "carol").toString()).contains("550");
            assertThat(send(client, "dave", "carol").code()).isEqualTo('c');
            String forged = "x\" recipients=9 seconds=600 text=0123456789abcdef";
            for (int i = 0; i <= MOST; i++) {
                send(client, forged, "eve" + i);
            }
            log = storage.log();
        }
        assertThat(log).contains("OutgoingWaves: ip=192.0.2.7 user=\"alice\" recipients=6 seconds=600 text=");
        Matcher filter = FILTER.matcher(Files.readString(Path.of("..", "..", "docs", "integrate", "outgoing.md")));
        assertThat(filter.find()).isTrue();
        Path rules = Files.writeString(scratch.resolve("weir-outgoing.conf"), filter.group(1));
        Path lines = Files.writeString(scratch.resolve("weir.log"), log);
        assertThat(Programs.run(scratch, "fail2ban-regex", "-o", "<ip> <F-USER>", lines.toString(), rules.toString())
                .succeeded().out().lines().toList())
                .containsExactly("192.0.2.7 alice", "192.0.2.7 x\\\" recipients=9 seconds=600 text=0123456789abcdef");

        // As the journal shows them, and what a stranger might have written into other lines.
        String one = log.lines().filter(line -> line.contains("OutgoingWaves: ip=")).findFirst().orElseThrow();
        String fields = one.substring(one.indexOf("ip="));
        Path others = Files.writeString(scratch.resolve("others.log"), one.substring(0, 24) + " mx weir[42]: " + fields
                + "\n" + one.substring(0, 24) + " INFO  scans: id=\"" + fields.replace("\"", "\\\"") + "\"\n"
                + one.substring(0, 24) + " WARN  MilterSession: <" + fields + ">; the mail is not hashed\n");
        assertThat(Programs.run(scratch, "fail2ban-regex", "-o", "<ip>", others.toString(), rules.toString())
                .succeeded().out().lines().toList()).containsExactly("192.0.2.7");
    }
}
