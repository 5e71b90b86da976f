package dev.weir.scan.mail;

import java.util.List;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;

import static org.assertj.core.api.Assertions.assertThat;

/** A fuzz test of Authentication-Results with arbitrary text: no exception escapes, and no word has a separator. */
final class AuthenticationResultsFuzzTest {
    @FuzzTest
    void parse(FuzzedDataProvider data) {
        String field = data.consumeRemainingAsString();
        List<List<String>> parts = AuthenticationResults.parse(field);
        assertThat(parts).isNotEmpty();
        assertThat(parts.stream().flatMap(List::stream)).noneMatch(String::isEmpty);
    }
}
