package dev.weir.cli.control;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

import dev.weir.cli.control.FuzzyStatReport.Options;
import dev.weir.cli.control.FuzzyStatReport.Sort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares the report with the output of Rspamd 4.1.6 for the same figures. */
class FuzzyStatReportTest {
    private static byte[] resource(String name) throws Exception {
        try (InputStream in = Objects.requireNonNull(FuzzyStatReportTest.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        }
    }

    private static JsonNode reply() throws Exception {
        return JsonMapper.builder().build().readTree(resource("fuzzystat-4.1.6.json"));
    }

    @Test
    void matchesTheReportOfRspamd() throws Exception {
        assertThat(FuzzyStatReport.of(reply(), new Options(true, false, true, true, Sort.CHECKED)).stripTrailing())
                .isEqualTo(new String(resource("fuzzystat-4.1.6.txt"), StandardCharsets.UTF_8).stripTrailing());
    }

    @Test
    void leavesOutPartsOnRequest() throws Exception {
        String brief = FuzzyStatReport.of(reply(), new Options(true, true, true, true, Sort.CHECKED));
        assertThat(brief).contains("fuzzy_stored: 8").doesNotContain("Keys statistics", "IPs statistics");
        String noKeys = FuzzyStatReport.of(reply(), new Options(true, false, false, true, Sort.CHECKED));
        assertThat(noKeys).contains("IPs statistics", "127.0.0.7").doesNotContain("Key id");
        String noAddresses = FuzzyStatReport.of(reply(), new Options(true, false, true, false, Sort.CHECKED));
        assertThat(noAddresses).contains("Key id: sse4j47zisqjd, name: second").doesNotContain("127.0.0");
    }

    @Test
    void sortsByName() throws Exception {
        String report = FuzzyStatReport.of(reply(), new Options(true, false, true, false, Sort.NAME));
        assertThat(report.indexOf("unkeyed")).isLessThan(report.indexOf("sse4")).isPositive();
        assertThat(report.indexOf("sse4")).isLessThan(report.indexOf("5mm7"));
    }

    @Test
    void sortsByAddress() throws Exception {
        String byName = FuzzyStatReport.of(reply(), new Options(true, false, true, true, Sort.NAME));
        String byAddress = FuzzyStatReport.of(reply(), new Options(true, false, true, true, Sort.IP));
        assertThat(addresses(byAddress)).hasSizeGreaterThan(1).isSorted()
                .isEqualTo(addresses(byName).reversed());
    }

    /** Returns the lines with the addresses of all keys, in their order. */
    private static List<String> addresses(String report) {
        return report.substring(report.lastIndexOf("IPs statistics:")).lines()
                .filter(line -> line.matches("[0-9a-f.:]+")).toList();
    }

    @ParameterizedTest
    @CsvSource({"999,999", "1000,1000", "1001,1.00k", "1024,1.02k", "10000,10k", "12345,12.35k", "9995,10.00k",
        "99999,100.00k", "425460,425.46k", "999499,999k", "999999,1000k", "1000000,1000k", "1010000000,1.01G",
        "0,0", "12.9,12"})
    void shortensNumbers(double number, String text) {
        assertThat(Humanized.shorten(number)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0,0", "12.5,12.5", "999999,999999", "1e12,1000000000000"})
    void printsExactNumbers(double number, String text) {
        assertThat(Humanized.plain(number)).isEqualTo(text);
    }
}
