package dev.weir.storage.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import dev.weir.config.ConfigurationLoader;
import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.source.Problem;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.lua.LuaSource;
import dev.weir.lua.hooks.StorageHooks.OnError;
import dev.weir.model.Digest;
import dev.weir.model.Networks;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.Delay;
import dev.weir.storage.access.DigestSet;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Limits;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.Operation;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.ReplyRules;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.access.WriteRules;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.hooks.HookScript;
import dev.weir.storage.index.FlagThresholds;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.shared.RedisAddress;
import dev.weir.storage.shared.SharedLayout;
import dev.weir.storage.shared.SharedSettings;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class WorkerSettingsTest {
    private static final Path USUAL = Path.of("/home/user/weir");
    private static final String PLACE = "hash_file = \"/var/lib/weir/fuzzy.db\";\n";

    @TempDir
    private @Nullable Path folder;

    private final Problems problems = new Problems();

    private Path write(String name, String text) throws Exception {
        Path file = Files.writeString(Objects.requireNonNull(folder).resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    }

    private Optional<StorageConfig> load(Path file) throws ConfigException {
        DiskFiles files = new DiskFiles();
        return WorkerSettings.read(
                new ConfigurationLoader(files, "host", Map.of(), Map.of(), UclSettings.PLAIN.limits())
                        .load(file.toString()),
                files, new WorkerSettings.UnnamedFolder(USUAL, false), problems);
    }

    private StorageConfig read(String text) throws Exception {
        StorageConfig config = readWithWarnings(text);
        assertThat(problems.all()).isEmpty();
        return config;
    }

    private StorageConfig readWithWarnings(String text) throws Exception {
        Optional<StorageConfig> config = load(write("worker-fuzzy.inc", text));
        assertThat(problems.hasErrors()).isFalse();
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
    void warnsOnceOfAKeyFileThatEveryUserMayRead() throws Exception {
        String pair = KeyPair.generate(new SecureRandom()).toUcl();
        Path file = write("worker-fuzzy.inc", PLACE + pair + KeyPair.generate(new SecureRandom()).toUcl());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(load(file)).isPresent();
        assertThat(problems.hasErrors()).isFalse();
        assertThat(problems.all()).singleElement().asString()
                .contains(file + ":", "every user of this machine may read")
                .doesNotContain(
                        pair.lines().filter(line -> line.contains("privkey")).findFirst().orElseThrow().strip());
    }

    @Test
    void readsTheContentOfAnRspamdWorkerFile() throws Exception {
        KeyPair one = KeyPair.generate(new SecureRandom());
        KeyPair two = KeyPair.generate(new SecureRandom());
        Path networks = write("writers.map", "# who may write\n10.1.0.0/16   the office\n\n2001:db8::1 # a host\n"
                + "::ffff:198.51.100.0/120\n[2001:db8::2]\n");
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
        assertThat(config.times().expire()).isEqualTo(Duration.ofDays(90));
        assertThat(config.times().sync()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.access().encryptedOnly()).isTrue();
        assertThat(config.access().updates().sources())
                .isEqualTo(
                        Networks.perFamily("127.0.0.1", "192.0.2.0/24", "10.1.0.0/16", "2001:db8::1", "198.51.100.0/24",
                                "2001:db8::2"));
        assertThat(config.access().keys()).containsExactly(ServerKey.of(one), ServerKey.of(two));
    }

    @Test
    void defaultsMatchRspamd() throws Exception {
        StorageConfig config = read(PLACE);
        assertThat(config.listen().first())
                .isEqualTo(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), StorageConfig.DEFAULT_PORT));
        assertThat(config.times().expire()).isEqualTo(Duration.ofDays(2));
        assertThat(config.times().sync()).isEqualTo(Duration.ofMinutes(1));
        assertThat(config.access().updates()).isEqualTo(WriteRules.BY_KEY);
        assertThat(config.access().encryptedOnly()).isFalse();
        assertThat(config.workers()).isEqualTo(StorageConfig.defaultWorkers());
    }

    @Test
    void readsEveryAccessOption() throws Exception {
        KeyPair one = KeyPair.generate(new SecureRandom());
        KeyPair two = KeyPair.generate(new SecureRandom());
        String id = Base32.encode(one.publicKey().id());
        Path keys = write("keys.map",
                """
                        [ { keypair { pubkey = "%s"; privkey = "%s";
                            extensions { name = "Zoe"; email = "zoe@example.org"; } } },
                          { pubkey = "short" } ]
                        """
                        .formatted(two.publicKey().base32(), Base32.encode(two.secret().reveal())));
        Access access = readWithWarnings(
                PLACE + """
                        blocked = "192.0.2.66";
                        read_only = true;
                        allow_update_keys = "%s";
                        forbidden_ids = [7, 8];
                        weak_ids = 9;
                        skip_hashes = "%s";
                        delay = 10min;
                        delay_whitelist = "10.0.0.0/8";
                        ratelimit_rate = 2.5;
                        ratelimit_burst = 100;
                        ratelimit_whitelist = ["10.0.0.0/8", "fd00::/8"];
                        ratelimit_max_buckets = 77;
                        ratelimit_network_mask = 28;
                        ratelimit_bucket_ttl = 8s;
                        ratelimit_log_only = true;
                        no_amplification = true;
                        flag_thresholds { 101 = 14; 300 = 10 }
                        dynamic_keys_map = "%s";
                        keypair {
                          pubkey = "%s"; privkey = "%s";
                          extensions { name = "feed"; allowed_ops = ["Read", "delete"]; forbidden_ids = [];
                            ratelimit = "1.5k / 10s"; expire = "31-12-2099"; }
                        }
                        """
                        .formatted(write("ids.map", id + " # ours"), write("skip.map", "AB".repeat(64) + "\n"), keys,
                                one.publicKey().base32(), Base32.encode(one.secret().reveal())))
                .access();
        assertThat(access.blocked()).isEqualTo(Networks.perFamily("192.0.2.66"));
        assertThat(access.noAmplification()).isTrue();
        assertThat(access.updates()).isEqualTo(new WriteRules(true, null, Set.of(id)));
        byte[] digest = new byte[Digest.BYTES];
        Arrays.fill(digest, (byte) 0xab);
        assertThat(access.answers()).isEqualTo(new ReplyRules(FlagSet.of(7, 8), FlagSet.of(9),
                DigestSet.of(Set.of(Digest.read(digest, 0))),
                new Delay(Duration.ofMinutes(10), Networks.perFamily("10.0.0.0/8")),
                FlagThresholds.of(Map.of(101, 14, 300, 10))));
        assertThat(access.limits()).isEqualTo(new Limits(new NetworkLimit(new RateLimit(100, 2.5),
                Networks.perFamily("10.0.0.0/8", "fd00::/8"), 77, 28, Duration.ofSeconds(8)), true));
        assertThat(access.keys()).containsExactly(new ServerKey(one, new KeyRules("feed", "",
                Set.of(Operation.READ, Operation.DELETE), FlagSet.none(), new RateLimit(1_500, 150),
                LocalDate.of(2099, 12, 31).atStartOfDay(ZoneId.systemDefault()).toInstant())));
        assertThat(access.dynamicKeys())
                .containsExactly(new ServerKey(two, KeyRules.DEFAULT.withName("Zoe", "zoe@example.org")));
        assertThat(problems.all()).isNotEmpty().allSatisfy(
                problem -> assertThat(problem.message()).endsWith("skipping this key"));
    }

    @Test
    void emptyListRestrictsNothingAndEmptyFilePermitsNoSource() throws Exception {
        assertThat(read(PLACE + "allow_update = [];").access().updates()).isEqualTo(WriteRules.BY_KEY);
        assertThat(
                read(PLACE + "allow_update = \"%s\";".formatted(write("empty.map", "# no entries\n"))).access()
                        .updates()
                        .sources())
                .isEqualTo(Networks.NONE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "100 / 1m"                       | 100  | 1.6666666666666667
            "2k / s"                         | 2000 | 2000
            [5, 0.5]                         | 5    | 0.5
            { burst = "1k"; rate = "6 / 1m" } | 1000 | 0.1
            """)
    void readsRateLimitsOfKeys(String rate, double burst, double speed) throws Exception {
        KeyPair pair = KeyPair.generate(new SecureRandom());
        KeyRules rules = read(PLACE + "keypair { pubkey = \"%s\"; privkey = \"%s\"; extensions { ratelimit = %s; } }"
                .formatted(pair.publicKey().base32(), Base32.encode(pair.secret().reveal()), rate)).access().keys()
                .getFirst().rules();
        assertThat(rules.limit()).isEqualTo(new RateLimit(burst, speed));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ratelimit = \"100\"", "ratelimit = [1, 0]", "expire = \"2030-01-01\"",
        "expire = \"31-02-2030\"", "allowed_ops = [\"write\", \"all\"]", "nam = \"x\""})
    void rejectsInvalidExtensions(String option) throws Exception {
        KeyPair pair = KeyPair.generate(new SecureRandom());
        assertThat(refused(PLACE + "keypair { pubkey = \"%s\"; privkey = \"%s\"; extensions { %s; } }".formatted(
                pair.publicKey().base32(), Base32.encode(pair.secret().reveal()), option)))
                .hasSize(1).first().asString().startsWith("2:").contains("keypair.extensions");
    }

    @Test
    void readsOptionsThatOnlyWeirHas() throws Exception {
        StorageConfig config = read(PLACE + "acknowledge = queued; max_log = 1g; max_connections = 100; "
                + "bind_socket = [\"*\", \"/run/weir/fuzzy.sock mode=0660\"];");
        assertThat(config.writing().acknowledge()).isEqualTo(Acknowledge.QUEUED);
        assertThat(config.writing().log().maxBytes()).isEqualTo(1_000_000_000);
        assertThat(config.listen().streams().connections()).isEqualTo(100);
        assertThat(config.listen().binds().get(1)).isEqualTo(new Bind.Unix(Path.of("/run/weir/fuzzy.sock"),
                PosixFilePermissions.fromString("rw-rw----")));
    }

    @Test
    void rateWithoutBurstSetsNoLimit() throws Exception {
        assertThat(readWithWarnings(PLACE + "ratelimit_rate = 5;").access().limits()).isEqualTo(Limits.NONE);
        assertThat(problems.warnings()).hasSize(1);
    }

    @Test
    void readsEverySupportedOption() throws Exception {
        Section section = Section.of((UclObject) Ucl.parse("worker", PLACE, UclSettings.PLAIN).root(), "worker",
                WorkerSettings.OPTIONS, problems);
        WorkerSettings.read(section, new DiskFiles(), new WorkerSettings.UnnamedFolder(USUAL, false), Optional.empty(),
                problems);
        assertThat(section.unread()).isEmpty();
        Section extensions = Section.of((UclObject) Ucl.parse("key", "", UclSettings.PLAIN).root(), "extensions",
                KeySettings.EXTENSIONS, problems);
        new KeyExtensions(extensions).read();
        assertThat(extensions.unread()).isEmpty();
    }

    @Test
    void readsAScriptOfHandlers() throws Exception {
        Path script = write("hooks.lua", "return { pre = function() end }");
        StorageConfig config = read(PLACE + "lua_script = \"%s\"; lua_errors = continue;".formatted(script));
        assertThat(config.hooks()).isEqualTo(new HookScript(
                LuaSource.inline(script.toString(), "return { pre = function() end }"), OnError.CONTINUE));
    }

    @Test
    void resolvesLocalHostNames() throws Exception {
        assertThat(String.valueOf(read(PLACE + "allow_update = \"localhost\";").access().updates().sources()))
                .contains("127.0.0.1/32");
    }

    @Test
    void readsAWorkerFromACompleteFile() throws Exception {
        Optional<StorageConfig> config = load(write("weir.conf", "worker \"fuzzy\" { bind_socket = \"*:7777\"; "
                + PLACE + "}\nworker \"normal\" { count = 2; }\n"));
        assertThat(problems.all()).isEmpty();
        assertThat(config.orElseThrow().listen().first())
                .isIn(new InetSocketAddress(InetAddress.ofLiteral("::"), 7_777),
                        new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 7_777));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            textBlock = """
                    expires = 90d; | 2:1 unknown option "expires" in worker "fuzzy", did you mean "expire"?
                    encrypted_only = "yes";              | 2:1 "encrypted_only" of worker "fuzzy"
                    backend = "redis";                   | needs servers
                    backend = "redis"; read_servers = "10.0.0.1"; | there are only read_servers
                    backend = "redis"; servers = "h"; db = "x"; | the number of a database
                    backend = "redis"; servers = "h"; redis_cluster = true; | do not work in a Cluster
                    backend = "redis"; servers = "h"; redis_ask_on_miss = true; redis_layout = "weir"; | only Rspamd writes what a node
                    backend = "redis"; servers = "h:0";  | not a port from 1 to 65535
                    backend = "redis"; servers = "h"; ssl_cert = "x"; | belong together
                    backend = "rocksdb";                 | is not a backend of this storage
                    bind_socket = "here:no:port";        | expected host:port
                    bind_socket = "host.invalid:1";      | there is no address for the host name
                    bind_socket = "/run/fuzzy.sock mode=rw"; | is not a valid socket
                    hash_file = "/x/updates";            | keeps something else under the name updates
                    allow_update = "10.0.0.0/99";        | expected an address
                    allow_update = "/etc";               | /etc cannot be read: not a regular file
                    bind_socket = "/run/fuzzy.sock";     | at least one network address
                    bind_socket = "/run/f.sock owner=no.such.user"; | this machine has no user "no.such.user"
                    bind_socket = "/run/f.sock group=no.such.group"; | this machine has no group "no.such.group"
                    encrypted_only = true;               | requires a keypair
                    skip_hashes = "0123"; | "skip_hashes": expected a digest of 128 hexadecimal digits, but found "0123"
                    allow_update_keys = "abc";           | 103 characters
                    ratelimit_network_mask = 33;         | ratelimit_network_mask
                    forbidden_ids = "x";                 | expected a whole number
                    dynamic_keys_map = "keys";           | the name of a file
                    bind_socket = "*:99999";             | expected host:port
                    masters = "192.0.2.1";               | sync_keypair { } is missing
                    """)
    void rejectsUnsupportedSettingsWithTheirPosition(String line, String message) throws Exception {
        String text = line.startsWith("hash_file") ? "\n" + line : PLACE + line;
        assertThat(refused(text)).anySatisfy(problem -> assertThat(problem).startsWith("2:").contains(message.strip()
                .startsWith("2:") ? message.strip().substring(2) : message.strip()));
    }

    /** Rspamd's default files disable its storage and set a Redis backend that the operator did not choose. */
    @Test
    void storageDisabledInRspamdNeedsNeitherBackendNorFolder() throws Exception {
        for (String off : new String[]{"count = -1;", "count = 0;"}) {
            StorageConfig config = readWithWarnings(off + " backend = \"redis\"; expire = 90d;");
            assertThat(config.dataDir()).isEqualTo(USUAL);
            assertThat(config.workers()).isEqualTo(StorageConfig.defaultWorkers());
        }
        // Both files lack a hash_file at the same place, which counts once.
        assertThat(problems.warnings()).hasSize(5).anySatisfy(problem -> assertThat(problem.toString())
                .contains("weir import redis://HOST"))
                .anySatisfy(problem -> assertThat(problem.toString()).contains("\"count\" of worker \"fuzzy\" is -1"));
        assertThat(readWithWarnings(PLACE + "count = -1;").dataDir()).isEqualTo(Path.of("/var/lib/weir"));
        assertThat(refused("backend = \"redis\"; count = 1;")).hasSize(1);
    }

    @Test
    void aStorageWithRedisNeedsNoDatabase() throws Exception {
        StorageConfig config = readWithWarnings("backend = \"redis\"; servers = \"/run/redis.sock\";");
        assertThat(config.dataDir()).isEqualTo(USUAL);
        assertThat(shared(Optional.of(config)).servers()).containsExactly(new RedisAddress("/run/redis.sock", 0));
        assertThat(problems.warnings()).singleElement().asString().contains("the data is in", "--data");
    }

    @Test
    void aListThatDoesNotExistYetIsEmpty() throws Exception {
        readWithWarnings(PLACE + "allow_update = \"/not/there.map\";");
        assertThat(problems.warnings()).singleElement().asString()
                .contains("/not/there.map does not exist yet: the list is empty");
    }

    @Test
    void readsTheOwnerOfASocket() throws Exception {
        StorageConfig config = readWithWarnings(
                PLACE + "bind_socket = [\"127.0.0.1:1\", \"/run/f.sock mode=0660 owner=root group=root\"];");
        assertThat(config.listen().binds()).contains(new Bind.Unix(Path.of("/run/f.sock"),
                PosixFilePermissions.fromString("rw-rw----"), "root", "root"));
    }

    @Test
    void readsTheRedisThatNodesShare() throws Exception {
        SharedSettings one = shared(load(write("weir.conf", "worker \"fuzzy\" { backend = \"redis\"; " + PLACE
                + "servers = \"master-slave:10.0.0.1:6380:10,[::1]:7\"; read_servers = \"r1,r2:5\"; "
                + "prefix = \"f4\"; }\n"
                + "redis { servers = \"elsewhere\"; password = \"secret\"; db = \"3\"; timeout = 2s; }\n")));
        assertThat(problems.all()).isEmpty();
        assertThat(one.servers()).containsExactly(new RedisAddress("10.0.0.1", 6380), new RedisAddress("::1", 7));
        assertThat(one.readers()).containsExactly(new RedisAddress("r1", 6379), new RedisAddress("r2", 5));
        assertThat(one.login().password()).isEqualTo("secret");
        assertThat(one.database()).isEqualTo(3);
        assertThat(one.prefix()).isEqualTo("f4");
        assertThat(one.timeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(one.layout()).isEqualTo(SharedLayout.RSPAMD);
        assertThat(one.toString() + one.login()).doesNotContain("secret");
        SharedSettings other = shared(load(write("weir.conf", "worker \"fuzzy\" { backend = \"redis\"; " + PLACE
                + "redis_layout = \"weir\"; redis_shards = 4; }\n"
                + "redis { servers = \"elsewhere\"; fuzzy { sentinels = [\"s1\", \"s2:1\"]; ssl = true; "
                + "sentinel_master_name = \"main\"; username = \"u\"; } }\n")));
        assertThat(problems.all()).isEmpty();
        assertThat(other.mode()).isEqualTo(SharedSettings.Mode.SENTINEL);
        assertThat(other.servers()).containsExactly(new RedisAddress("s1", 26379), new RedisAddress("s2", 1));
        assertThat(other.master()).isEqualTo("main");
        assertThat(other.tls()).isEqualTo(new SharedSettings.Tls("", "", "", true));
        assertThat(other.shards()).isEqualTo(4);
    }

    private static SharedSettings shared(Optional<StorageConfig> config) {
        return Objects.requireNonNull(config.orElseThrow().nodes().shared());
    }

    @Test
    void warnsOfOptionsOfRedisWithoutIt() throws Exception {
        assertThat(readWithWarnings(PLACE + "servers = \"h\";").nodes().shared()).isNull();
        assertThat(problems.warnings()).anySatisfy(problem -> assertThat(problem.toString()).contains("servers",
                "has no effect without backend"));
    }

    @Test
    void aStorageThatIsSwitchedOffIsNoError() throws Exception {
        assertThat(load(write("worker-fuzzy.inc", PLACE + "enabled = false;"))).isEmpty();
        assertThat(problems.hasErrors()).isFalse();
        assertThat(problems.warnings()).singleElement().asString().contains("switched off here by enabled = false");
    }

    @Test
    void readsTheKindOfBackend() throws Exception {
        assertThat(readWithWarnings(PLACE).data().backend()).isEqualTo(BackendKind.SQLITE);
        assertThat(readWithWarnings(PLACE + "backend = \"sqlite\";").data().backend()).isEqualTo(BackendKind.SQLITE);
        assertThat(readWithWarnings(PLACE + "backend = \"store\";").data().backend()).isEqualTo(BackendKind.STORE);
    }

    @Test
    void messagesContainNoSecrets() throws Exception {
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
    void requiresAFuzzyWorker() throws Exception {
        load(write("weir.conf", "options { }"));
        assertThat(problems.all()).hasSize(1).first().asString().contains("there is no worker \"fuzzy\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"count = -1", "count = 0", "enabled = false"})
    void usesTheActiveWorkerBesideADisabledOne(String disabled) throws Exception {
        Optional<StorageConfig> config = load(write("weir.conf", "worker \"fuzzy\" { " + disabled
                + "; hash_file = \"/off/fuzzy.db\"; backend = \"redis\" }\n"
                + "worker \"fuzzy\" { count = 2; " + PLACE + "}\n"));
        assertThat(config.orElseThrow().dataDir()).isEqualTo(Path.of("/var/lib/weir"));
        assertThat(problems.all()).singleElement()
                .asString()
                .contains("weir.conf:1:", "is disabled here; the one at", "weir.conf:2:");
    }

    @Test
    void rejectsTwoActiveWorkers() throws Exception {
        assertThat(load(write("weir.conf", ("worker \"fuzzy\" { " + PLACE + "}\n").repeat(2)))).isEmpty();
        assertThat(problems.all()).singleElement().asString().contains("a second worker \"fuzzy\"");
    }

    @Test
    void refusesThresholdsThatMakeNoSense() throws Exception {
        assertThat(refused(PLACE + "flag_thresholds { 101 = 7; x = 14; 5000000000 = 14; 7 = often }"))
                .hasSize(4)
                .allMatch(problem -> problem.contains("flag_thresholds"));
    }

    @Test
    void refusesThresholdsThatAreNoSection() throws Exception {
        assertThat(refused(PLACE + "flag_thresholds = 14")).singleElement().asString()
                .contains("expected a section { 101 = 14 }");
    }
}
