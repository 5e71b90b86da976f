package dev.weir.config.option;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.config.map.MapAddress;
import dev.weir.config.map.NetworkList;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Problem;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.model.Networks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class SectionTest {
    private final Problems problems = new Problems();

    private Section worker(String text) throws ConfigException {
        return section(text, "worker-fuzzy", "worker \"fuzzy\"");
    }

    private Section section(String text, String table, String path) throws ConfigException {
        UclObject root = (UclObject) Ucl.parse("f.conf", text, UclSettings.PLAIN).root();
        return Section.of(root, path, OptionTable.shipped(table), problems);
    }

    private List<String> messages() {
        return problems.all().stream().map(Problem::toString).toList();
    }

    @Test
    void readsEveryType() throws Exception {
        Section section = worker("""
                backend = redis; expire = 90d; sync = 1min; count = -1; encrypted_only = yes; ratelimit_rate = 0.5
                bind_socket = "a:1"; bind_socket = ["b:2", "c:3"]; forbidden_ids = [1, 2]; weak_ids = 7
                allow_update = ["127.0.0.1", "10.0.0.0/8", "localhost", "/etc/more.map"]; hash_file = "/x"
                keypair { pubkey = "a" } keypair { pubkey = "b" }
                """);
        assertThat(section.choice("backend", List.of("sqlite", "redis", "noop"))).contains("redis");
        assertThat(section.seconds("expire")).contains(Duration.ofDays(90));
        assertThat(section.seconds("sync")).contains(Duration.ofMinutes(1));
        assertThat(section.integer("count", -1, 1024)).hasValue(-1);
        assertThat(section.bool("encrypted_only")).contains(true);
        assertThat(section.number("ratelimit_rate", 0, 1e6)).hasValue(0.5);
        assertThat(section.strings("bind_socket")).containsExactly("a:1", "b:2", "c:3");
        assertThat(section.integers("forbidden_ids", 0, 0xffffffffL)).containsExactly(1L, 2L);
        assertThat(section.integers("weak_ids", 0, 0xffffffffL)).containsExactly(7L);
        assertThat(section.string("hashfile")).contains("/x");
        NetworkList allowed = NetworkList.parse(section.map("allow_update").orElseThrow().entries(), problems::add);
        assertThat(Networks.dualStack(allowed.networks()).contains(InetAddress.ofLiteral("10.1.2.3"))).isTrue();
        assertThat(allowed.hosts()).extracting(entry -> entry.text()).containsExactly("localhost");
        assertThat(section.map("allow_update").orElseThrow().files()).extracting(entry -> entry.text())
                .containsExactly("/etc/more.map");
        List<Section> keys = section.sections("keypair", OptionTable.shipped("keypair"));
        assertThat(keys).extracting(key -> key.string("pubkey").orElse("")).containsExactly("a", "b");
        section.finish();
        keys.forEach(Section::finish);
        assertThat(messages()).isEmpty();
    }

    @Test
    void absentOptionsHaveTheDefaultOfTheTable() throws ConfigException {
        Section section = worker("");
        assertThat(section.string("backend")).contains("sqlite");
        assertThat(section.seconds("expire")).contains(Duration.ofDays(2));
        assertThat(section.integer("updates_maxfail", 0, 100)).hasValue(3);
        assertThat(section.bool("read_only")).contains(false);
        assertThat(section.seconds("delay")).isEmpty();
        assertThat(section.map("allow_update")).isEmpty();
        assertThat(section.has("backend")).isFalse();
        assertThat(messages()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`',
            textBlock = """
                    sync = "1min"        | \
                    `f.conf:1:1: "sync" of worker "fuzzy": expected a time TIMES, but found a quoted string "1min" \
                    (without quotes it may be valid), did you mean 1min?`
                    sync = 1m in         | \
                    `f.conf:1:1: "sync" of worker "fuzzy": expected a time TIMES, such as 60s, but found a string \
                    "1m in"`
                    sync = 5 minutes     | \
                    `f.conf:1:1: "sync" of worker "fuzzy": expected a time TIMES, but found a string "5 minutes", \
                    did you mean 5min?`
                    sync = -1            | \
                    `f.conf:1:1: "sync" of worker "fuzzy": expected a value TIMES, but found -1, did you mean 0s?`
                    sync = 5000m         | \
                    `f.conf:1:1: "sync" of worker "fuzzy": expected a value TIMES, but found 5000000000, \
                    did you mean 5000min?`
                    sync = nan           | \
                    `f.conf:1:1: "sync" of worker "fuzzy": expected a time TIMES, such as 60s, but found a number`
                    `sync = 1; sync = 2` | \
                    `f.conf:1:11: "sync" of worker "fuzzy": expected one value, but there is another one at f.conf:1:1`
                    sync = [1]           | \
                    `f.conf:1:1: "sync" of worker "fuzzy": expected a time TIMES, such as 60s, but found an array`
                    """)
    void rejectsWrongTimes(String text, String message) throws ConfigException {
        assertThat(worker(text).seconds("sync")).contains(Duration.ofSeconds(60));
        assertThat(messages()).containsExactly(
                message.replace("TIMES", "from 0 to 3153600000 seconds (0s to 36500d)"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0    | false
            1    | true
            yes  | true
            OFF  | false
            null | false
            """)
    void zeroAndOneAreBooleans(String written, boolean value) throws ConfigException {
        assertThat(worker("read_only = " + written).bool("read_only")).contains(value);
        assertThat(messages()).isEmpty();
    }

    @Test
    void numbersThatRspamdReadsOtherwiseGiveAWarning() throws ConfigException {
        assertThat(worker("read_only = 2").bool("read_only")).contains(true);
        assertThat(section("read_only = 1; skip_unknown = 0", "fuzzy-rule", "rule").bool("read_only")).contains(true);
        assertThat(section("skip_unknown = 0", "fuzzy-rule", "rule").bool("skip_unknown")).contains(false);
        assertThat(messages()).containsExactly(
                "f.conf:1:1: warning: \"read_only\" of worker \"fuzzy\": 2 is taken as true, as in Rspamd",
                "f.conf:1:1: warning: \"read_only\" of rule: 1 is true here, but Rspamd takes every number for false in"
                        + " this section: write true");
    }

    @Test
    void nullIsAnAbsentOption() throws ConfigException {
        Section section = worker(
                """
                        sync = null; hash_file = null; allow_update = null; keypair = null; forbidden_ids = null; nonsense = null
                        allow_map = null; max_log = null; max_log = 100mb; backend = null; database = "/x"
                        """);
        assertThat(section.seconds("sync")).contains(Duration.ofSeconds(60));
        assertThat(section.string("hashfile")).contains("/x");
        assertThat(section.map("allow_update")).isEmpty();
        assertThat(section.has("allow_update")).isFalse();
        assertThat(section.sections("keypair", OptionTable.shipped("keypair"))).isEmpty();
        assertThat(section.integers("forbidden_ids", 0, 9)).isEmpty();
        assertThat(section.integer("max_log", 0, Long.MAX_VALUE)).hasValue(100 << 20);
        assertThat(section.choice("backend", List.of("sqlite"))).contains("sqlite");
        section.finish();
        assertThat(messages()).isEmpty();
    }

    @Test
    void rejectsWrongValues() throws ConfigException {
        Section section = worker("""
                backend = sqlit; read_only = "yes"; count = 1.5; keypair_cache_size = "5"; prefix = 12; password = [1]
                forbidden_ids = ["1"]; bind_socket = 11335; keypair = x; ratelimit_network_mask = 129; expire = 10m
                """);
        section.choice("backend", List.of("sqlite", "redis", "noop"));
        section.bool("read_only");
        section.integer("count", -1, 64);
        section.integer("keypair_cache_size", 0, Long.MAX_VALUE);
        section.string("prefix");
        section.integers("forbidden_ids", 1, 5);
        section.strings("bind_socket");
        section.sections("keypair", OptionTable.shipped("keypair"));
        section.integer("ratelimit_network_mask", 0, 32);
        section.seconds("expire");
        assertThat(messages()).hasSize(10)
                .anySatisfy(m -> assertThat(m).endsWith("found \"sqlit\", did you mean \"sqlite\"?"))
                .anySatisfy(m -> assertThat(m).contains("expected true or false, but found a quoted string \"yes\""))
                .anySatisfy(m -> assertThat(m)
                        .contains("expected a string, but found an integer (in quotes it would be valid)"))
                .anySatisfy(m -> assertThat(m).contains("expected a section { ... }"))
                .anySatisfy(m -> assertThat(m).contains("expected a value from 0 to 32, but found 129"))
                .anySatisfy(m -> assertThat(m).startsWith("f.conf:2:").contains("warning")
                        .contains("\"m\" means a million"));
        assertThatThrownBy(problems::throwErrors).isInstanceOf(ConfigException.class);
        assertThat(problems.warnings()).hasSize(1);
    }

    @Test
    void secretsAreNotShown() throws ConfigException {
        worker("password = [\"geheim\"]").string("password");
        section("privkey = { geheim = \"geheim\" }", "keypair", "keypair").string("privkey");
        assertThat(messages()).hasSize(2).noneMatch(message -> message.contains("geheim"));
    }

    @Test
    void unknownOptionsAreErrorsWithASuggestion() throws ConfigException {
        Section section = worker(
                "\n\n        syncc = 1min; hash_fiel = \"x\"; zzzzzz = 1; allow_map = \"a\"; max_mods = 1");
        section.finish();
        assertThat(messages()).containsExactly(
                "f.conf:3:9: unknown option \"syncc\" in worker \"fuzzy\", did you mean \"sync\"?",
                "f.conf:3:23: unknown option \"hash_fiel\" in worker \"fuzzy\", did you mean \"hash_file\"?",
                "f.conf:3:40: unknown option \"zzzzzz\" in worker \"fuzzy\"",
                "f.conf:3:52: \"allow_map\" of worker \"fuzzy\" is not supported: Rspamd documents it but never "
                        + "implemented it; use allow_update",
                "f.conf:3:69: warning: \"max_mods\" of worker \"fuzzy\" has no effect: it was removed in 0.9");
    }

    @Test
    void openSectionReportsUnreadKeys() throws ConfigException {
        UclObject root = (UclObject) Ucl.parse("f.conf", "alpha = 1; alhpa = 2", UclSettings.PLAIN).root();
        Section section = Section.of(root, "here", OptionTable.open("open"), problems);
        assertThat(section.integer("alpha", 0, 9)).hasValue(1);
        section.finish();
        assertThat(messages())
                .containsExactly("f.conf:1:12: unknown option \"alhpa\" in here, did you mean \"alpha\"?");
    }

    @Test
    void readingAnOptionOutsideTheTableThrows() throws ConfigException {
        Section section = worker("");
        assertThatThrownBy(() -> section.string("nosuch")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> section.string("hash_file")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OptionTable.shipped("nosuch")).isInstanceOf(IllegalArgumentException.class);
        assertThat(section.unread()).contains("backend").doesNotContain("nosuch", "allow_map");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rule \"x\" { servers = a } rule \"y\" { servers = b } rule { servers = c }",
        "rule { x { servers = a } y { servers = b } } rule { servers = c }",
        "rule = [ { x { servers = a }, y { servers = b } }, { servers = c } ]"})
    void readsNamedSectionsInAllForms(String text) throws ConfigException {
        Section section = section(text, "fuzzy_check", "fuzzy_check");
        List<String> rules = new ArrayList<>();
        for (Section.Named rule : section.named("rule", OptionTable.shipped("fuzzy-rule"),
                object -> !object.values("servers").isEmpty())) {
            rules.add(rule.name() + ":" + rule.section().strings("servers").getFirst());
        }
        assertThat(rules).containsExactly("x:a", "y:b", ":c");
        assertThat(messages()).isEmpty();
    }

    @Test
    void readsMaps() throws ConfigException {
        Section section = worker("""
                skip_hashes { url = "file:///etc/skip"; name = "x" }
                blocked = "fallback+https://example.com/map"
                allow_update = []
                delay_whitelist { ulr = "/x" }
                ratelimit_whitelist = 5
                """);
        assertThat(section.map("skip_hashes").orElseThrow().files()).extracting(entry -> entry.text())
                .containsExactly("/etc/skip");
        assertThat(section.map("allow_update")).isEmpty();
        assertThat(messages()).isEmpty();
        section.map("blocked");
        section.map("delay_whitelist");
        section.map("ratelimit_whitelist");
        assertThat(messages()).containsExactly(
                "f.conf:2:1: \"blocked\" of worker \"fuzzy\": expected a file, http:// or https://,"
                        + " or one of these after sign+ or sign+key=KEY+, but found"
                        + " \"fallback+https://example.com/map\"",
                "f.conf:4:19: \"delay_whitelist\" of worker \"fuzzy\": unknown option \"ulr\" of a map, expected url",
                "f.conf:4:1: \"delay_whitelist\" of worker \"fuzzy\": expected a map with url = \"/path\"",
                "f.conf:5:1: \"ratelimit_whitelist\" of worker \"fuzzy\": expected a string,"
                        + " an array of strings or { url = ... }, but found an integer");
    }

    @Test
    void readsTheAddressesOfMaps() {
        assertThat(MapAddress.parse("192.0.2.1")).isEmpty();
        assertThat(MapAddress.parse("sign+192.0.2.1")).isEmpty();
        assertThat(MapAddress.parse("sign+key=abc/etc/x")).isEmpty();
        assertThat(MapAddress.parse("file:///etc/x")).contains(new MapAddress("/etc/x", false, Optional.empty()));
        assertThat(MapAddress.parse("sign+key=9mant+file:///etc/x"))
                .contains(new MapAddress("/etc/x", true, Optional.of("9mant")));
        assertThat(MapAddress.parse("sign+./x")).contains(new MapAddress("./x", true, Optional.empty()));
        String hex = "0f".repeat(32);
        for (String mark : new String[]{"", "+", ":"}) {
            assertThat(MapAddress.parse("sign+key=" + hex + mark + "/etc/x"))
                    .contains(new MapAddress("/etc/x", true, Optional.of(hex)));
        }
        assertThat(MapAddress.parse("SIGN+https://example.com/x").orElseThrow().isRemote()).isTrue();
        assertThat(MapAddress.parse("/etc/x+y").orElseThrow().isRemote()).isFalse();
    }
}
