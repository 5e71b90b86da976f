package dev.weir.scan.rule;

import java.util.List;
import java.util.Map;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Problem;
import dev.weir.hash.kind.HashKind;
import dev.weir.scan.score.KindOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The section {@code kinds} of a rule: what it means, and what its errors say. */
final class KindReaderTest {
    private static String rule(String kinds) {
        return "fuzzy_check {\nrule \"r\" {\nalgorithm = mumhash; servers = \"127.0.0.1:1\";\n" + kinds
                + "\nfuzzy_map {\nDENIED { flag = 1 }\nWHITE { flag = 3 }\n}\n}\n}\n";
    }

    private static KindOptions read(String kinds) throws ConfigException {
        return TestSettings.of(rule(kinds)).rules().getFirst().kinds();
    }

    private static List<String> refused(String kinds) {
        ConfigException refusal = catchThrowableOfType(ConfigException.class, () -> read(kinds));
        assertThat(refusal).as("%s was accepted", kinds).isNotNull();
        return String.valueOf(refusal.getMessage()).lines().toList();
    }

    @Test
    void readsAllOptions() throws Exception {
        KindOptions options = read("kinds { max_weight = 0.7; trusted_hosts = [\"MX.example.org\", \"b\"]; brands = [\""
                + "One.example\"]; source { flag_offset = 30; weight = 0.25; threshold = 14 } "
                + "subject { enabled = false } }");
        assertThat(options.kinds()).containsOnlyKeys(HashKind.SOURCE);
        assertThat(options.kinds().get(HashKind.SOURCE)).isEqualTo(new KindOptions.Kind(30, 0.25, 14));
        assertThat(options.maxWeight()).isEqualTo(0.7);
        assertThat(options.trustedHosts()).containsExactlyInAnyOrder("mx.example.org", "b");
        assertThat(options.brands()).containsExactly("one.example");
    }

    @Test
    void theListOfBrandsShips() throws Exception {
        assertThat(read("kinds { links {} }").brands()).contains("paypal.com", "docusign.net", "google.com")
                .as("anybody can have a mailbox there").doesNotContain("gmail.com", "outlook.com");
    }

    @Test
    void warnsThatNoHostTellsWhoIsAuthenticated() throws Exception {
        assertThat(TestSettings.of(rule("kinds { links {} }")).warnings()).extracting(Problem::message)
                .anyMatch(message -> message.contains("names no trusted_hosts"));
        assertThat(TestSettings.of(rule("kinds { trusted_hosts = \"a\"; links {} }")).warnings())
                .extracting(Problem::message).noneMatch(message -> message.contains("trusted_hosts"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            kinds { source { threshold = 7 } }                     | threshold | 8 to 32
            kinds { source { threshold = 33 } }                    | threshold | 8 to 32
            kinds { source { threshold = half } }                  | threshold | half
            kinds { source { weight = 1.5 } }                      | weight | 0 to 1
            kinds { source { weight = -0.1 } }                     | weight | 0 to 1
            kinds { source { flag_offset = 0 } }                   | flag_offset | 1 to 254
            kinds { source { flag_offset = 255 } }                 | flag_offset | 1 to 254
            kinds { source { enabled = perhaps } }                 | enabled | perhaps
            kinds { max_weight = 2; source {} }                    | max_weight | 0 to 1
            kinds = 5                                              | kinds | section
            kinds { source = yes }                                 | source | section
            kinds = "all"                                          | kinds | recommended
            kinds { recommended = perhaps }                        | recommended | perhaps
            """)
    void saysWhatAnOptionTakes(String kinds, String option, String expected) {
        assertThat(refused(kinds)).as(kinds).anyMatch(line -> line.contains("/weir.conf:4") && line.contains(option)
                && line.contains(expected));
    }

    /** A misspelled kind would silently be off. */
    @Test
    void saysThatAKindOrAnOptionIsUnknown() {
        assertThat(refused("kinds { sauce {} }"))
                .anyMatch(line -> line.contains("unknown option \"sauce\" in fuzzy_check.rule \"r\".kinds"));
        assertThat(refused("kinds { source { treshold = 14 } }"))
                .anyMatch(line -> line.contains("treshold") && line.contains("did you mean \"threshold\"?"));
    }

    @Test
    void refusesFlagsThatTwoKindsOrSymbolsWouldShare() {
        assertThat(refused("kinds { links { flag_offset = 253 } }")).anyMatch(line -> line
                .contains("flag 3 of WHITE and flag_offset 253 of links make 256, but a command carries "
                        + "flags up to 255"));
        assertThat(refused("kinds { source { flag_offset = 2 } }")).anyMatch(line -> line.contains(
                "flag 1 of DENIED and flag_offset 2 of source make 3, which already belongs to WHITE"));
        assertThat(refused("kinds { source { flag_offset = 20 } chars { flag_offset = 22 } }")).anyMatch(line -> line
                .contains("flag 1 of DENIED and flag_offset 22 of chars make 23, which already "
                        + "belongs to source of WHITE"));
    }

    @Test
    void recommendedIsAllKindsAsMeasured() throws Exception {
        KindOptions options = read("kinds = \"recommended\"");
        assertThat(options.kinds()).containsExactlyInAnyOrderEntriesOf(Map.of(
                HashKind.SOURCE, new KindOptions.Kind(20, 0.5, 13), HashKind.CHARS, new KindOptions.Kind(40, 0.5, 10),
                HashKind.LINKS, new KindOptions.Kind(60, 0.5, 9), HashKind.PICTURE, new KindOptions.Kind(80, 0.5, 17),
                HashKind.SUBJECT, new KindOptions.Kind(100, 0.5, 17),
                HashKind.TOKEN, new KindOptions.Kind(120, 0.5, 17)));
        assertThat(options.brands()).contains("paypal.com");
        assertThat(TestSettings.of(rule("kinds = \"recommended\"")).warnings()).extracting(Problem::message)
                .anyMatch(message -> message.contains("write kinds { recommended = true; trusted_hosts"));
    }

    @Test
    void aSectionChangesWhatIsRecommended() throws Exception {
        KindOptions options = read("kinds { recommended = true; trusted_hosts = \"mx\"; source { weight = 0.2 } "
                + "subject { enabled = false } }");
        assertThat(options.kinds()).doesNotContainKey(HashKind.SUBJECT).hasSize(5)
                .containsEntry(HashKind.SOURCE, new KindOptions.Kind(20, 0.2, 13))
                .containsEntry(HashKind.LINKS, new KindOptions.Kind(60, 0.5, 9));
        assertThat(options.trustedHosts()).containsExactly("mx");
    }

    /** Flags up to 20 never collide; beyond them, the error names both owners and the line. */
    @Test
    void recommendedRefusesFlagsThatCollide() throws Exception {
        String rule = rule("kinds = \"recommended\"");
        assertThat(TestSettings.of(rule.replace("flag = 3", "flag = 20")).rules()).hasSize(1);
        ConfigException refusal = catchThrowableOfType(ConfigException.class,
                () -> TestSettings.of(rule.replace("flag = 3", "flag = 21")));
        assertThat(String.valueOf(refusal.getMessage()).lines()).anyMatch(line -> line.contains("/weir.conf:4")
                && line.contains("flag 1 of DENIED and flag_offset 20 of source make 21, which already belongs to "
                        + "WHITE"));
    }

    @Test
    void refusesASecondSection() {
        assertThat(refused("kinds { source {} }\nkinds { chars {} }"))
                .anyMatch(line -> line.contains("kinds") && line.contains("expected one section, but found 2"));
    }
}
