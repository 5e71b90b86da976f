package dev.weir.cli.credentials;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import dev.weir.cli.Run;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.http.access.StoredPassword;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class PasswordCommandTest {
    private static Run pw(String input, String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "pw";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return Run.weirReading(input.getBytes(StandardCharsets.UTF_8), all);
    }

    @Test
    void bothHashFunctionsAcceptOnlyTheirPassword() {
        for (Map.Entry<String, String> kind : Map.of("catena", "$2$", "pbkdf2", "$1$").entrySet()) {
            Run made = pw("grüße 1\r\nnext line", "--type", kind.getKey());
            assertThat(made.status()).as(made.err()).isEqualTo(ExitCode.OK);
            String hash = made.out().strip();
            assertThat(hash).startsWith(kind.getValue()).hasSize(3 + 32 + 1 + 52);
            assertThat(made.out() + made.err()).doesNotContain("grüße");
            assertThat(StoredPassword.parse(hash).matches("grüße 1".getBytes(StandardCharsets.UTF_8))).isTrue();
            assertThat(pw("grüße 1\n", "--type", kind.getKey()).out().strip()).as("a new salt").isNotEqualTo(hash);
            assertThat(pw(hash + "\ngrüße 1\n", "--check")).isEqualTo(new Run(0, "password correct\n", ""));
            assertThat(pw(hash + "\ngrüße\n", "--check")).isEqualTo(new Run(1, "password incorrect\n", ""));
        }
        assertThat(pw("a").out()).startsWith("$2$");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {"''|-|there is no input", "'\n'|-|is empty",
        "' a\n'|-|blank", "'a\tb\n'|-|control character", "q1|-|once shipped", "'$2$abc\nx\n'|--check|damaged hash",
        "'plain\nplain\n'|--check|is not a hash", "'\n\n'|--check|is empty"})
    void reportsUnusableInput(String input, String option, String message) {
        Run run = option == null ? pw(input) : pw(input, option);
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(message);
    }

    @ParameterizedTest
    @ValueSource(ints = {1025, 5000})
    void rejectsLongPasswords(int length) {
        assertThat(pw("x".repeat(1024)).status()).isEqualTo(ExitCode.OK);
        assertThat(pw("x".repeat(length)).status()).isEqualTo(ExitCode.INPUT);
    }

    @Test
    void rejectsAPasswordAsAnArgument() {
        Run run = pw("", "secret-word");
        assertThat(run.status()).isEqualTo(ExitCode.USAGE);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("do not pass a password as an argument").doesNotContain("secret-word");
    }
}
