package dev.weir.trap.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.weir.config.Configuration;
import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.source.Problem;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.model.Networks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

final class TrapReaderTest {
    private final Problems problems = new Problems();

    private Optional<TrapSettings> read(String inside) throws ConfigException {
        UclObject root = (UclObject) Ucl.parse("test.conf", "worker \"trap\" { " + inside + " }", UclSettings.PLAIN)
                .root();
        return TrapReader.read(new Configuration(Configuration.Shape.WHOLE_FILE, "test.conf", root, List.of(),
                List.of()), new DiskFiles(), problems);
    }

    @Test
    void everyOptionCounts() throws ConfigException {
        assertThat(
                read("""
                        bind_socket = "192.0.2.1"; lmtp_socket = "192.0.2.1:24"; addresses = ["bait@example.org", "trap.example"];
                        maildir = "/mail/a"; mbox = "/mail/b"; flag = 11; ham_flags = [12, 13]; min_words = 40; min_sources = 3;
                        weight = 2; max_weight = 9; images = true; relays = "192.0.2.0/24"; own_networks = "10.0.0.0/8";
                        own_domains = "Example.COM"; hold_time = 1d; max_campaigns = 10; max_message = 1mb;
                        max_connections = 5; timeout = 10s; poll = 2s;
                        """))
                .contains(new TrapSettings(
                        List.of(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 2525)),
                        List.of(new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 24)),
                        List.of(Path.of("/mail/a")), List.of(Path.of("/mail/b")),
                        TrapAddresses.of(List.of("bait@example.org", "trap.example")),
                        new TrapPolicy(11, List.of(12L, 13L), 40, 3, 2, 9, true, Networks.dualStack("192.0.2.0/24"),
                                Networks.dualStack("10.0.0.0/8"), Set.of("example.com"), Duration.ofDays(1), 10),
                        new TrapLimits(1 << 20, 5, Duration.ofSeconds(10), Duration.ofSeconds(2))));
        assertThat(problems.all()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "bind_socket = \"127.0.0.1\"; | refuses every recipient",
        "addresses = \"trap.example\"; | has no source of mail",
        "mbox = \"/a\"; addresses = \"a b\"; | is neither an address",
        "mbox = \"/a\"; flag = 3; | cannot be that of wanted mail",
        "mbox = \"/a\"; weight = 20; max_weight = 10; | at least the weight for one source",
        "bind_socket = \"/run/trap.sock\"; addresses = \"trap.example\"; | Unix-domain sockets"})
    void whatCannotWorkIsAnError(String inside, String message) throws ConfigException {
        assertThat(read(inside)).isNotNull();
        assertThat(problems.hasErrors()).isTrue();
        assertThat(problems.all()).extracting(Problem::message).anyMatch(text -> text.contains(message));
    }

    @Test
    void aDisabledWorkerIsAbsent() throws ConfigException {
        assertThat(read("enabled = false; bind_socket = \"127.0.0.1\";")).isEmpty();
        assertThat(problems.all()).isEmpty();
    }
}
