package dev.weir.cli.logging;

import dev.weir.cli.Run;
import dev.weir.cli.terminal.ExitCode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the option for levels of the log. */
class LogLevelsTest {
    @Test
    void parsesLogLevels() {
        LogLevels.Converter converter = new LogLevels.Converter();
        assertThat(converter.convert("debug")).isEqualTo(new LogLevels.Setting("", "DEBUG"));
        assertThat(converter.convert("scans=Info")).isEqualTo(new LogLevels.Setting("scans", "INFO"));
        Run part = Run.weir("serve", "--log-level", "stroage=debug");
        assertThat(part.status()).isEqualTo(ExitCode.USAGE);
        assertThat(part.err()).contains("\"stroage\" is not a part of the log: expected one of storage, http");
        Run level = Run.weir("serve", "--log-level", "loud");
        assertThat(level.status()).isEqualTo(ExitCode.USAGE);
        assertThat(level.err()).contains("expected one of off, error, warn, info, debug, trace");
    }
}
