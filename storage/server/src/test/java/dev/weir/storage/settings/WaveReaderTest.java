package dev.weir.storage.settings;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import dev.weir.config.option.Problems;
import dev.weir.config.option.Section;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.model.Networks;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.waves.WaveSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WaveReaderTest {
    private final Problems problems = new Problems();

    private @Nullable WaveSettings read(String text) throws Exception {
        UclObject worker = (UclObject) Ucl.parse("test", text, UclSettings.PLAIN).root();
        return new WaveReader(Section.of(worker, "worker \"fuzzy\"", WorkerSettings.OPTIONS, problems),
                new MapReader(new DiskFiles(), problems), problems).read();
    }

    private WaveSettings sound(String text) throws Exception {
        WaveSettings settings = read(text);
        assertThat(problems.all()).isEmpty();
        return Objects.requireNonNull(settings);
    }

    private void refused(String text, String reason) throws Exception {
        read(text);
        assertThat(problems.all()).anySatisfy(problem -> assertThat(problem.message()).contains(reason));
    }

    @Test
    void nothingCountsWithoutTheSection() throws Exception {
        assertThat(read("")).isNull();
        assertThat(sound("waves { }")).isEqualTo(WaveSettings.counting());
    }

    @Test
    void readsEverything() throws Exception {
        assertThat(
                sound("""
                        waves { flag = 60; min_checks = 40; min_clients = 2; window = 2h; keep = 7d; signatures = 50000;
                          wanted_flags = [3, 4]; exempt_networks = "192.0.2.0/24"; exempt_domains = ["Bank.example"];
                          learn { flag = 11; weight = 5; min_checks = 300; min_clients = 8; window = 30min; max_per_hour = 4; } }
                        """))
                .isEqualTo(new WaveSettings(new WaveSettings.Table(50_000, Duration.ofDays(7)),
                        Optional.of(new WaveSettings.Answer(60, new WaveSettings.Size(40, 2, Duration.ofHours(2)))),
                        Optional.of(new WaveSettings.Learn(11, 5, new WaveSettings.Size(300, 8, Duration.ofMinutes(30)),
                                4)),
                        new WaveSettings.Exclusions(FlagSet.of(3, 4), Networks.perFamily("192.0.2.0/24"),
                                Set.of("bank.example"))));
    }

    @Test
    void theDefaultsAreThoseOfTheIssue() throws Exception {
        WaveSettings settings = sound("waves { flag = 60; }");
        assertThat(settings.answer()).contains(new WaveSettings.Answer(60,
                new WaveSettings.Size(50, 3, Duration.ofHours(1))));
        assertThat(settings.learn()).isEmpty();
    }

    @Test
    void refusesWhatContradictsItself() throws Exception {
        refused("waves { flag = 3; wanted_flags = 3; }", "it is one of wanted_flags");
        refused("waves { flag = 60; window = 2d; }", "longer than keep");
        refused("waves { learn { } }", "needs flag");
        refused("waves { exempt_domains = \"bank\"; }", "a domain such as bank.example");
        refused("waves { signatures = 10; }", "from 1000");
        refused("waves { min_checks = 1; }", "from 2");
        refused("waves { learn { flag = 11; } }", "newsletters are waves");
        assertThat(problems.all()).anySatisfy(problem -> assertThat(problem.origin().line()).isPositive());
    }
}
