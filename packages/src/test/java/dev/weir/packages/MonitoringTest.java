package dev.weir.packages;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.testkit.Installed;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The alert rules and the dashboard, against Prometheus' own check and against the metrics that Weir has. */
class MonitoringTest {
    private static final Path RULES = Path.of("monitoring/weir.rules.yml").toAbsolutePath();
    private static final Path DASHBOARD = Path.of("monitoring/weir.dashboard.json");
    private static final Pattern METRIC = Pattern.compile("\\bweir_[a-z0-9_]+");
    /** A line of the page, which a test of the module cli keeps equal to what /metrics prints. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(weir_[a-z0-9_]+)` \\| (\\w+) \\|");

    @Test
    void prometheusAcceptsTheRules() throws Exception {
        Installed.require("promtool", "prometheus");
        Commands.run("promtool", "check", "rules", RULES.toString()).succeeded();
    }

    @Test
    void theRulesFireWhenTheyShould() throws Exception {
        Installed.require("promtool", "prometheus");
        Path cases = Path.of("monitoring-tests/weir.tests.yml").toAbsolutePath();
        Commands.run("promtool", "test", "rules", cases.toString()).succeeded();
    }

    @Test
    void everyMetricOfTheRulesAndOfTheDashboardExists() throws Exception {
        Set<String> named = new TreeSet<>(metrics(Files.readString(RULES)));
        Set<String> queries = queries();
        queries.forEach(query -> named.addAll(metrics(query)));
        assertThat(named).hasSizeGreaterThan(30);
        assertThat(existing()).containsAll(named);
    }

    @Test
    void thePanelsOfTheDashboardHaveQueriesAndDoNotOverlap() throws Exception {
        Set<String> places = new LinkedHashSet<>();
        for (JsonNode panel : JsonMapper.shared().readTree(Files.readString(DASHBOARD)).get("panels")) {
            assertThat(places.add(panel.get("gridPos").get("x") + "," + panel.get("gridPos").get("y")))
                    .as(panel.get("title").asString()).isTrue();
            if (!panel.get("type").asString().equals("row")) {
                assertThat(panel.get("targets")).as(panel.get("title").asString()).isNotEmpty();
            }
        }
    }

    private static Set<String> queries() throws Exception {
        Set<String> queries = new LinkedHashSet<>();
        JsonMapper.shared().readTree(Files.readString(DASHBOARD)).findValues("expr")
                .forEach(query -> queries.add(query.asString()));
        assertThat(queries).hasSizeGreaterThan(20);
        return queries;
    }

    private static Set<String> metrics(String text) {
        Set<String> found = new LinkedHashSet<>();
        for (Matcher match = METRIC.matcher(text); match.find();) {
            found.add(match.group());
        }
        return found;
    }

    private static Set<String> existing() throws Exception {
        Set<String> existing = new LinkedHashSet<>();
        for (Matcher row = ROW.matcher(Files.readString(Path.of("../docs/reference/metrics.md"))); row.find();) {
            existing.add(row.group(1));
            if (row.group(2).equals("histogram")) {
                existing.add(row.group(1) + "_bucket");
                existing.add(row.group(1) + "_count");
                existing.add(row.group(1) + "_sum");
            }
        }
        assertThat(existing).contains("weir_healthy", "weir_scan_seconds_bucket");
        return existing;
    }
}
