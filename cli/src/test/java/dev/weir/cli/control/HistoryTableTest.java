package dev.weir.cli.control;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class HistoryTableTest {
    private static String list(LongStream numbers) {
        return numbers.mapToObj(Long::toString).collect(Collectors.joining(",", "[", "]"));
    }

    @Test
    void severalStepsShareALine() {
        int steps = 60;
        String json = """
                {"span": "hour", "step": 10, "times": %s, "figures": {"checks": %s, "hits": %s, "learns": %s,
                 "p99": %s, "hashes": %s}}""".formatted(list(LongStream.range(0, steps).map(i -> i * 10_000)),
                list(LongStream.range(0, steps).map(i -> i % 2 == 0 ? 100 : 300)),
                list(LongStream.range(0, steps).map(_ -> 50)), list(LongStream.range(0, steps).map(_ -> 0)),
                list(LongStream.range(0, steps).map(i -> i % 2 == 0 ? 900_000 : 20_000)),
                list(LongStream.range(0, steps)));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new HistoryTable(JsonMapper.shared().readTree(json))
                .print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).hasSize(31);
        assertThat(lines.get(2).split(" +")).containsExactly("1970-01-01T00:00:20Z", "20.0", "5.0", "0.0", "900", "3");
    }
}
