package dev.weir.trap.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Problem;
import dev.weir.model.Networks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

final class TrapReaderTest {
    private static final TrapSources NOTHING = new TrapSources(TrapAddresses.NONE, List.of(), List.of(), List.of());

    private final Problems problems = new Problems();

    private Optional<TrapSettings> read(String inside) throws ConfigException {
        return TrapConfigs.read(inside, problems);
    }

    @Test
    void everyOptionCounts(@TempDir Path folder) throws Exception {
        Path passwords = Files.writeString(folder.resolve("passwords"),
                "# IMAP\nbait@example.org@mail.example.org secret word\na@localhost b\n");
        assertThat(
                read("""
                        bind_socket = "192.0.2.1"; lmtp_socket = "192.0.2.1:24"; addresses = ["bait@example.org", "trap.example"];
                        maildir = "/mail/a"; mbox = "/mail/b"; flag = 11; ham_flags = [12, 13]; min_words = 40; min_sources = 3;
                        weight = 2; max_weight = 9; images = true; relays = "192.0.2.0/24"; own_networks = "10.0.0.0/8";
                        own_domains = "Example.COM"; hold_time = 1d; max_campaigns = 10; max_message = 1mb;
                        max_connections = 5; timeout = 10s; poll = 2s; imap = "imaps://bait%40example.org@mail.example.org/Junk";
                        imap_passwords = "PASSWORDS";
                        complaints { addresses = "spam@example.org"; keep_addresses = "keep@example.org"; flag = 14; min_votes = 4;
                          weight = 2; max_weight = 20; keep_votes = 3; reports = true;
                          imap = "imap://a@localhost"; }
                        wanted { addresses = "copy@example.org"; flag = 12; weight = 4; senders = "Bank.example";
                          trusted_hosts = "MX.example.org"; mbox = "/mail/c"; }
                        """
                        .replace("PASSWORDS", passwords.toString())))
                .contains(new TrapSettings(
                        List.of(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 2525)),
                        List.of(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 24)),
                        Optional.empty(), 1 << 20, 5, Duration.ofSeconds(10), Duration.ofSeconds(2),
                        new TrapSources(TrapAddresses.of(List.of("bait@example.org", "trap.example")),
                                List.of(Path.of("/mail/a")), List.of(Path.of("/mail/b")),
                                List.of(new ImapFolder(true, "mail.example.org", 993, "bait@example.org", "Junk",
                                        "secret word"))),
                        new TrapPolicy(11, List.of(12L, 13L), 40, 3, 2, 9, true, Networks.dualStack("192.0.2.0/24"),
                                Networks.dualStack("10.0.0.0/8"), Set.of("example.com"), Duration.ofDays(1), 10),
                        Optional.of(new ComplaintSettings(
                                new TrapSources(TrapAddresses.of(List.of("spam@example.org")), List.of(), List.of(),
                                        List.of(new ImapFolder(false, "localhost", 143, "a", "INBOX", "b"))),
                                TrapAddresses.of(List.of("keep@example.org")), true,
                                14, 4, 2, 20, 3)),
                        Optional.of(new WantedSettings(new TrapSources(TrapAddresses.of(List.of("copy@example.org")),
                                List.of(), List.of(Path.of("/mail/c")), List.of()), 12, 4, Set.of("bank.example"),
                                Set.of("mx.example.org")))));
        assertThat(problems.all()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "bind_socket = \"127.0.0.1\"; | refuses every recipient",
        "addresses = \"trap.example\"; | has no source of mail",
        "mbox = \"/a\"; addresses = \"a b\"; | is neither an address",
        "mbox = \"/a\"; flag = 3; | cannot be that of wanted mail",
        "mbox = \"/a\"; weight = 20; max_weight = 10; | at least the weight for one source",
        "imap = \"imaps://a@mail.example.org\"; | has no line for a@mail.example.org",
        "imap = \"imaps://a:b@mail.example.org\"; | an address with a password",
        "imap = \"https://a@mail.example.org\"; | is not an address such as",
        "complaints { flag = 3; } | cannot be that of wanted mail and that of complaints",
        "mbox = \"/a\"; wanted { flag = 4; } | is not one of ham_flags",
        "mbox = \"/a\"; wanted { senders = \"a.example\"; } | names no host that checks signatures",
        "mbox = \"/a\"; wanted { senders = \"a.shop.co.uk\"; trusted_hosts = \"a\"; } | the whole one, shop.co.uk",
        "bind_socket = \"/run/trap.sock\"; addresses = \"trap.example\"; | Unix-domain sockets"})
    void whatCannotWorkIsAnError(String inside, String message) throws ConfigException {
        assertThat(read(inside)).isNotNull();
        assertThat(problems.hasErrors()).isTrue();
        assertThat(problems.all()).extracting(Problem::message).anyMatch(text -> text.contains(message));
    }

    @Test
    void theDefaultsAreThoseOfTheManual() throws ConfigException {
        assertThat(read("complaints {} wanted {}")).contains(new TrapSettings(List.of(), List.of(), Optional.empty(),
                10 << 20, 500, Duration.ofMinutes(1), Duration.ofMinutes(1), NOTHING,
                new TrapPolicy(1, List.of(3L), 32, 2, 5, 50, false, Networks.dualStack("127.0.0.0/8", "::1"),
                        Networks.NONE, Set.of(), Duration.ofDays(7), 100_000),
                Optional.of(new ComplaintSettings(NOTHING, TrapAddresses.NONE, false, 2, 3, 1, 100, 1)),
                Optional.of(new WantedSettings(NOTHING, 3, 1, Set.of(), Set.of()))));
        assertThat(problems.all()).isEmpty();
    }

    @Test
    void aPasswordIsNotPrinted() {
        assertThat(ImapFolder.parse("imaps://a%40b@mail.example.org/Junk/Old").withPassword("secret"))
                .hasToString("imaps://a%40b@mail.example.org:993/Junk/Old");
    }

    @Test
    void aDisabledWorkerIsAbsent() throws ConfigException {
        assertThat(read("enabled = false; bind_socket = \"127.0.0.1\";")).isEmpty();
        assertThat(problems.all()).isEmpty();
    }
}
