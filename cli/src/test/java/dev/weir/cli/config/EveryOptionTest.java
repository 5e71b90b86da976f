package dev.weir.cli.config;

import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.weir.cli.Run;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.config.option.Option;
import dev.weir.config.option.OptionTable;
import dev.weir.config.source.Problem;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Gives every option of every section values of every type, and values below, at and above its bounds. A reader reports
 * what it cannot use with its place, the bounds and a value that fits; it never throws.
 */
class EveryOptionTest {
    private static final String RULE = "servers = \"127.0.0.1:9\"; algorithm = mumhash; max_score = 20;";
    private static final String PAIR = pair();
    private static final List<String> ODD = List.of("\"text\"", "\"\"", "\"\\u0000\"", "\"5\"", "\"5 min\"", "word",
            "5",
            "-5", "0", "0.5", "1e300", "-1e300", "9223372036854775807", "-9223372036854775808", "nan", "inf", "true",
            "[1, 2]", "[\"a\", \"b\"]", "[null]", "[]", "{ a = 1 }", "{}", "{ x { y { } } }", "null", "7ms", "7s",
            "7min", "7h", "7d", "7w", "7y", "7k", "7m", "7g", "7kb", "7mb", "7gb", "1.5g");
    private static final Set<String> OF_REDIS = Set.of("servers", "read_servers", "write_servers", "db", "username",
            "password", "timeout", "prefix", "sentinels", "sentinel_master_name", "sentinel_password", "ssl",
            "no_ssl_verify", "ssl_ca", "ssl_cert", "ssl_key", "redis_layout", "redis_cluster", "redis_shards",
            "redis_history", "redis_reconcile", "redis_ask_on_miss", "redis_replicas", "redis_fsync",
            "redis_ack_timeout");
    private static final Pattern BOUNDS = Pattern.compile("from (-?\\S+) (?:to (\\S+)|upwards)");

    @TempDir
    static Path folder;

    /** The place of an option: what stands before and behind it, with the options that its section needs. */
    private record Place(String before, Map<String, String> needs, String after) {
        static Place of(String before, String after) {
            return new Place(before, Map.of(), after);
        }

        Place needing(String option, String value) {
            Map<String, String> more = new LinkedHashMap<>(needs);
            more.put(option, value);
            return new Place(before, more, after);
        }

        /** Returns the text with the option in a line of its own, the third. */
        String with(Option option, String name, String value) {
            StringBuilder text = new StringBuilder(before).append('\n');
            needs.forEach((need, needed) -> {
                if (!need.equals(option.name()) && !option.aliases().contains(need)) {
                    text.append(need).append(' ').append(needed).append("; ");
                }
            });
            return text.append('\n').append(name).append(value.startsWith("{") ? " " : " = ").append(value).append('\n')
                    .append(after).append('\n').toString();
        }
    }

    private static String pair() {
        KeyPair pair = KeyPair.generate(new java.security.SecureRandom());
        return "{ pubkey = \"" + pair.publicKey() + "\"; privkey = \"" + dev.weir.wire.key.Base32
                .encode(pair.secret().reveal()) + "\" }";
    }

    private static Map<String, Place> places() {
        String storage = "worker \"fuzzy\" { hash_file = \"" + folder + "/fuzzy.db\"; ";
        String rule = "fuzzy_check { rule \"x\" { " + RULE + " fuzzy_map { D { flag = 1 } } ";
        String trap = "worker \"trap\" { bind_socket = \"127.0.0.1:0\"; addresses = \"a@example.org\"; ";
        String sealed = storage + "replication { keypair " + PAIR + "; bind_socket = \"127.0.0.1:9\"; ";
        Map<String, Place> places = new LinkedHashMap<>();
        places.put("worker-fuzzy", Place.of("worker \"fuzzy\" {", "}").needing("hash_file",
                "= \"" + folder + "/fuzzy.db\""));
        places.put("keypair", Place.of(storage + "keypair {", "} }"));
        places.put("key-extensions", Place.of(storage + "keypair " + PAIR.replace("}", "; extensions {"), "} } }"));
        places.put("replication", Place.of(storage + "replication {", "} }").needing("keypair", PAIR)
                .needing("bind_socket", "= \"127.0.0.1:9\""));
        places.put("replication-follower", Place.of(sealed + "follower \"f\" {", "} } }"));
        places.put("slave", Place.of(storage + "slave {", "} }").needing("name", "= s").needing("hosts", "= \"a:1\""));
        places.put("waves", Place.of(storage + "waves {", "} }"));
        places.put("waves-learn", Place.of(storage + "waves { learn {", "} } }").needing("flag", "= 11"));
        places.put("worker-controller", Place.of(storage + "}\tworker \"controller\" {", "}"));
        places.put("worker-milter", Place.of(storage + "}\tworker \"milter\" {", "}"));
        places.put("worker-trap", Place.of(storage + "}\tworker \"trap\" {", "}").needing("bind_socket",
                "= \"127.0.0.1:0\"").needing("addresses", "= \"a@example.org\""));
        places.put("trap-complaints", Place.of(storage + "}\t" + trap + "complaints {", "} }"));
        places.put("trap-wanted", Place.of(storage + "}\t" + trap + "wanted {", "} }"));
        places.put("fuzzy_check", Place.of("fuzzy_check {", "}").needing("rule", "\"x\" { " + RULE + " }"));
        places.put("fuzzy-rule", Place.of("fuzzy_check { rule \"x\" {", "} }").needing("servers", "= \"127.0.0.1:9\""));
        places.put("outgoing", Place.of("fuzzy_check { rule \"x\" { " + RULE + " } outgoing {", "} }"));
        places.put("fuzzy-map", Place.of("fuzzy_check { rule \"x\" { " + RULE + " fuzzy_map { D {", "} } } }"));
        places.put("fuzzy-tcp", Place.of(rule + "tcp {", "} } }"));
        for (String kind : List.of("text", "html", "image", "archive")) {
            places.put("checks-" + kind, Place.of(rule + "checks { " + kind + " {", "} } } }"));
        }
        places.put("fuzzy-kinds", Place.of(rule + "kinds {", "} } }"));
        places.put("fuzzy-kinds-kind", Place.of(rule + "kinds { source {", "} } } }"));
        places.put("fuzzy-group", Place.of(rule + "} } group \"fuzzy\" {", "}"));
        places.put("fuzzy-symbol", Place.of(rule + "} } group \"fuzzy\" { symbols { D {", "} } }"));
        return places;
    }

    /** Returns the problems of a text, after every reader has seen it. */
    private static List<Problem> problems(String text) throws Exception {
        Path path = Files.writeString(folder.resolve("weir.conf"), text);
        ConfigFile file = ConfigFile.read(path.toString(), Map.of());
        if (file.hasStorage()) {
            file.storage();
        }
        file.http(UnaryOperator.identity());
        file.milter();
        file.traps();
        file.rules();
        file.controlSocket();
        assertThat(file.problems()).allSatisfy(problem -> {
            assertThat(problem.message()).doesNotContain("Exception", "null pointer").doesNotEndWith("null");
            assertThat(problem.origin().line()).isPositive();
            assertThat(problem.origin().column()).isPositive();
        });
        return file.problems();
    }

    private static List<String> atTheOption(List<Problem> problems) {
        return problems.stream().filter(problem -> problem.severity() == Problem.Severity.ERROR
                && problem.origin().line() == 3).map(Problem::message).toList();
    }

    @Test
    void everyTableHasAPlace() throws Exception {
        URI table = OptionTable.class.getResource("worker-fuzzy.tsv").toURI();
        // A build with packages has the tables in a JAR.
        try (FileSystem _ = table.getScheme().equals("jar") ? FileSystems.newFileSystem(table, Map.of()) : null;
                Stream<Path> files = Files.list(Path.of(table).getParent())) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".tsv"))
                    .map(name -> name.substring(0, name.length() - 4))).containsExactlyInAnyOrderElementsOf(
                            places().keySet());
        }
    }

    @TestFactory
    Stream<DynamicTest> everyOptionTakesOrReportsEveryValue() {
        return places().entrySet().stream().flatMap(place -> OptionTable.shipped(place.getKey()).options().stream()
                .map(option -> DynamicTest.dynamicTest(place.getKey() + " " + option.name(),
                        () -> check(place(place, option), option))));
    }

    private static Place place(Map.Entry<String, Place> place, Option option) {
        return place.getKey().equals("worker-fuzzy") && OF_REDIS.contains(option.name())
                ? place.getValue().needing("backend", "= redis").needing("servers", "= \"127.0.0.1:9\"")
                        .needing("acknowledge", "= shared")
                : place.getValue();
    }

    private static void check(Place place, Option option) throws Exception {
        List<String> names = new ArrayList<>(List.of(option.name()));
        names.addAll(option.aliases());
        for (String value : ODD) {
            List<String> errors = atTheOption(problems(place.with(option, names.getLast(), value)));
            if (option.status() == Option.Status.HONORED && isWrong(option.type(), value)) {
                assertThat(errors).as(option.name() + " = " + value).isNotEmpty();
            }
            if (value.equals("null")) {
                assertThat(errors).as(option.name() + " = null").isEmpty();
            }
        }
        if (option.status() != Option.Status.HONORED) {
            return;
        }
        switch (option.type()) {
            case INTEGER, SIZE, NUMBER, TIME, INTEGERS -> bounds(place, option);
            default -> {
                // Only numbers have bounds.
            }
        }
    }

    /** Returns whether no option of the type takes the value. */
    private static boolean isWrong(Option.Type type, String value) {
        return switch (type) {
            case INTEGER, SIZE, NUMBER,
                    TIME ->
                (value.startsWith("\"") && !value.equals("\"5\""))
                        || (value.startsWith("[") && !value.equals("[]")) || value.startsWith("{")
                        || value.equals("word") || value.equals("true")
                        || value.equals("nan");
            case BOOLEAN ->
                value.startsWith("\"") || value.startsWith("{") || value.equals("0.5") || value.equals("7s");
            case STRING, SECRET -> value.equals("5") || value.equals("true") || value.startsWith("{");
            case STRINGS -> value.equals("5") || value.startsWith("{") || value.equals("[null]");
            case SECTIONS -> value.equals("5") || value.equals("word") || value.equals("7s");
            case INTEGERS, NETWORKS, KEYS, ANY -> false;
        };
    }

    private static void bounds(Place place, Option option) throws Exception {
        String wrong = String.join("\n", atTheOption(problems(place.with(option, option.name(), "\"word\""))));
        assertThat(wrong).as(option.name() + " = word").contains(option.name())
                .containsPattern(BOUNDS).contains("such as ");
        Matcher matcher = BOUNDS.matcher(wrong);
        assertThat(matcher.find()).isTrue();
        double least = Double.parseDouble(matcher.group(1));
        double most = matcher.group(2) == null ? Double.MAX_VALUE : number(matcher.group(2));
        boolean whole = option.type() != Option.Type.NUMBER && option.type() != Option.Type.TIME;
        assertThat(outOfBounds(place, option, matcher.group(1))).isEmpty();
        assertRefused(place, option, whole ? String.valueOf((long) least - 1) : below(least));
        if (most < Long.MAX_VALUE / 2.0) {
            assertThat(outOfBounds(place, option, matcher.group(2).replace(",", ""))).isEmpty();
            assertRefused(place, option, whole ? String.valueOf((long) most + 1) : above(most));
        }
    }

    private static double number(String text) {
        return Double.parseDouble(text.replace(",", ""));
    }

    private static String below(double least) {
        return least <= 0 ? String.valueOf(Math.floor(least) - 1) : String.valueOf(least / 2);
    }

    private static String above(double most) {
        return String.valueOf(most < 1 ? 1 : Math.floor(most) + 1);
    }

    private static List<String> outOfBounds(Place place, Option option, String value) throws Exception {
        return atTheOption(problems(place.with(option, option.name(), value))).stream()
                .filter(message -> message.contains("expected a value from")).toList();
    }

    private static void assertRefused(Place place, Option option, String value) throws Exception {
        assertThat(outOfBounds(place, option, value)).as(option.name() + " = " + value).isNotEmpty()
                .allSatisfy(message -> assertThat(message).contains("\"" + option.name() + "\"", "but found ",
                        ", did you mean ").containsPattern(BOUNDS));
    }

    @Test
    void millionsOfSecondsAreMinutesOfAPerson() throws Exception {
        Path path = folder.resolve("minutes.conf");
        Files.writeString(path, """
                worker "fuzzy" {
                  hash_file = "/tmp/none/fuzzy.db"; sync = 10m; expire = -5; tcp_timeout = 0;
                }
                worker "controller" { timeout = 2h; auth_failure_window = 0; session_idle = 1y; }
                fuzzy_check { rule "x" { servers = "127.0.0.1:9"; algorithm = "mumhash"; timeout = 2m; max_score = 9 } }
                """);
        Run run = Run.weir("config", "check", path.toString());
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains("minutes.conf:2:37: \"sync\" of worker \"fuzzy\": expected a value from 0.001 to"
                + " 86400 seconds (1ms to 1d), but found 10000000, did you mean 10min?",
                "minutes.conf:2:62: \"tcp_timeout\"", "minutes.conf:4:23: \"timeout\" of worker \"controller\"",
                "did you mean 1h?", "\"auth_failure_window\"", "\"session_idle\"", "did you mean 2min?")
                .doesNotContain("\"expire\"", "Exception");
    }
}
