package dev.weir.http.metrics;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

final class MetricsTextTest {
    private static List<Metric> metrics() {
        Histogram histogram = new Histogram(List.of(0.001, 0.5));
        histogram.observe(0.001);
        histogram.observe(0.25);
        histogram.observe(7);
        return List.of(Metric.gauge("open", "Open \"things\".", 3), Metric.counters("hits", "Hits\nof a symbol.",
                List.of(Metric.Sample.of(List.of(new Metric.Label("symbol", "A\"B\\C\n")), 1L << 40))),
                new Metric("seconds", Metric.Type.HISTOGRAM, "Time.", histogram.samples()),
                new Metric("odd", Metric.Type.GAUGE, "Odd.", List.of(new Metric.Sample("", List.of(), Double.NaN),
                        new Metric.Sample("", List.of(), Double.NEGATIVE_INFINITY),
                        new Metric.Sample("", List.of(), 1e-9))));
    }

    @Test
    void prometheus() {
        assertThat(MetricsText.write(metrics(), MetricsText.Format.PROMETHEUS)).isEqualTo("""
                # HELP open Open "things".
                # TYPE open gauge
                open 3
                # HELP hits_total Hits\\nof a symbol.
                # TYPE hits_total counter
                hits_total{symbol="A\\"B\\\\C\\n"} 1099511627776
                # HELP seconds Time.
                # TYPE seconds histogram
                seconds_bucket{le="0.001"} 1
                seconds_bucket{le="0.5"} 2
                seconds_bucket{le="+Inf"} 3
                seconds_count 3
                seconds_sum 7.251
                # HELP odd Odd.
                # TYPE odd gauge
                odd NaN
                odd -Inf
                odd 0.0000000010
                """);
    }

    @Test
    void openMetrics() {
        assertThat(MetricsText.write(metrics(), MetricsText.Format.OPEN_METRICS)).contains("# TYPE hits counter\n")
                .contains("\nhits_total{").endsWith("# EOF\n");
        assertThat(MetricsText.Format.accepted("text/plain;q=0.5,application/openmetrics-text;version=1.0.0"))
                .isEqualTo(MetricsText.Format.OPEN_METRICS);
        assertThat(MetricsText.Format.accepted("*/*")).isEqualTo(MetricsText.Format.PROMETHEUS);
    }

    @Test
    void checksNames() {
        assertThatIllegalArgumentException().isThrownBy(() -> Metric.gauge("a b", "x", 1));
    }
}
