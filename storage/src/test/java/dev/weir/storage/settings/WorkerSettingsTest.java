package dev.weir.storage.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import dev.weir.config.ConfigurationLoader;
import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.source.Problem;
import dev.weir.config.ucl.UclSettings;
import dev.weir.storage.server.Network;
import dev.weir.storage.server.StorageConfig;
import dev.weir.wire.Base32;
import dev.weir.wire.KeyPair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class WorkerSettingsTest {
    private static final String PLACE = "hash_file = \"/var/lib/weir/fuzzy.db\";\n";

    @TempDir
    private @Nullable Path folder;

    private final Problems problems = new Problems();

    private Path write(String name, String text) throws Exception {
        return Files.writeString(Objects.requireNonNull(folder).resolve(name), text);
    }

    private Optional<StorageConfig> load(Path file) throws ConfigException {
        DiskFiles files = new DiskFiles();
        return WorkerSettings.read(
                new ConfigurationLoader(files, "host", Map.of(), Map.of(), UclSettings.PLAIN.limits())
                        .load(file.toString()),
                files, problems);
    }

    private StorageConfig read(String text) throws Exception {
        Optional<StorageConfig> config = load(write("worker-fuzzy.inc", text));
        assertThat(problems.all()).isEmpty();
        return config.orElseThrow();
    }

    private List<String> refused(String text) throws Exception {
        load(write("worker-fuzzy.inc", text));
        assertThat(problems.hasErrors()).isTrue();
        return problems.all().stream().filter(problem -> problem.severity() == Problem.Severity.ERROR)
                .map(problem -> "%d:%d %s".formatted(problem.origin().line(), problem.origin().column(),
                        problem.message()))
                .toList();
    }

    @Test
    void theInsideOfAWorkerAsRspamdHasIt() throws Exception {
        KeyPair one = KeyPair.generate(new SecureRandom());
        KeyPair two = KeyPair.generate(new SecureRandom());
        Path networks = write("writers.map", "# who may write\n10.1.0.0/16   the office\n\n2001:db8::1 # a host\n");
        StorageConfig config = read(PLACE + """
                bind_socket = ["[::1]:12345", "127.0.0.1:12346"];
                tcp_timeout = 9s;
                count = 3;
                expire = 90d;
                sync = 10s;
                encrypted_only = true;
                allow_update = ["127.0.0.1", "192.0.2.0/24", "%s"];
                keypair = [
                  { pubkey = "%s"; privkey = "%s"; type = "kex"; },
                  { pubkey = "%s"; privkey = "%s"; }
                ]
                """.formatted(networks, one.publicKey().base32(), Base32.encode(one.secret().reveal()),
                two.publicKey().base32(), Base32.encode(two.secret().reveal())));
        assertThat(config.dataDir()).isEqualTo(Path.of("/var/lib/weir"));
        assertThat(config.listen().first()).isEqualTo(new InetSocketAddress(InetAddress.ofLiteral("::1"), 12_345));
        assertThat(config.listen().binds()).hasSize(2);
        assertThat(config.listen().streams().idle()).isEqualTo(Duration.ofSeconds(9));
        assertThat(config.workers()).isEqualTo(3);
        assertThat(config.expire()).isEqualTo(Duration.ofDays(90));
        assertThat(config.sync()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.encryptedOnly()).isTrue();
        assertThat(config.allowUpdate()).containsExactly(Network.parse("127.0.0.1"), Network.parse("192.0.2.0/24"),
                Network.parse("10.1.0.0/16"), Network.parse("2001:db8::1"));
        assertThat(config.keyPairs()).containsExactly(one, two);
    }

    @Test
    void defaultsAreThoseOfRspamd() throws Exception {
        StorageConfig config = read(PLACE);
        assertThat(config.listen().first())
                .isEqualTo(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), StorageConfig.DEFAULT_PORT));
        assertThat(config.expire()).isEqualTo(Duration.ofDays(2));
        assertThat(config.sync()).isEqualTo(Duration.ofMinutes(1));
        assertThat(config.allowUpdate()).isEmpty();
        assertThat(config.encryptedOnly()).isFalse();
        assertThat(config.workers()).isEqualTo(StorageConfig.defaultWorkers());
    }

    @Test
    void localNamesAreLookedUp() throws Exception {
        assertThat(read(PLACE + "allow_update = \"localhost\";").allowUpdate()).contains(Network.parse("127.0.0.1"));
    }

    @Test
    void aWholeFileWithAWorkerInIt() throws Exception {
        Optional<StorageConfig> config = load(write("weir.conf", "worker \"fuzzy\" { bind_socket = \"*:7777\"; "
                + PLACE + "}\nworker \"normal\" { count = 2; }\n"));
        assertThat(problems.all()).isEmpty();
        assertThat(config.orElseThrow().listen().first())
                .isEqualTo(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 7_777));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            expires = 90d;                       | 2:1 unknown option "expires" in worker "fuzzy", did you mean "expire"?
            encrypted_only = "yes";              | 2:1 "encrypted_only" of worker "fuzzy"
            backend = "redis";                   | bring the hashes over with weir import
            bind_socket = "here:no:port";        | expected host:port
            bind_socket = "host.invalid:1";      | there is no address for the host name
            bind_socket = "/run/fuzzy.sock";     | Unix sockets
            hash_file = "/x/other.db";           | weir import
            allow_update = "10.0.0.0/99";        | expected an address
            allow_update = "/not/there.map";     | cannot be read
            encrypted_only = true;               | needs a keypair
            enabled = false;                     | switched off
            read_only = true;                    | cannot do that yet
            masters = "a";                       | mirroring by Rspamd was removed
            """)
    void whatCannotBeHonouredIsRefusedWithItsPlace(String line, String message) throws Exception {
        String text = line.startsWith("hash_file") ? "\n" + line : PLACE + line;
        assertThat(refused(text)).anySatisfy(problem -> assertThat(problem).startsWith("2:").contains(message.strip()
                .startsWith("2:") ? message.strip().substring(2) : message.strip()));
    }

    @Test
    void secretsAreNotInMessages() throws Exception {
        KeyPair pair = KeyPair.generate(new SecureRandom());
        KeyPair other = KeyPair.generate(new SecureRandom());
        String secret = Base32.encode(pair.secret().reveal());
        List<String> messages = refused(PLACE + "keypair { pubkey = \"%s\"; privkey = \"%s\"; algoritm = \"x\"; }"
                .formatted(other.publicKey().base32(), secret));
        assertThat(messages).hasSize(2).noneMatch(message -> message.contains(secret));
        assertThat(messages.getFirst()).contains("does not belong to the private key");
        assertThat(refused(PLACE + "keypair { pubkey = \"%s\"; privkey = \"%s1\"; }"
                .formatted(pair.publicKey().base32(), secret))).noneMatch(message -> message.contains(secret));
    }

    @Test
    void thereHasToBeOneWorker() throws Exception {
        load(write("weir.conf", "options { }"));
        assertThat(problems.all()).hasSize(1).first().asString().contains("there is no worker \"fuzzy\"");
    }
}
