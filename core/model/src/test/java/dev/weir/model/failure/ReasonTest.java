package dev.weir.model.failure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

final class ReasonTest {
    @Test
    void filesHaveAReasonAndTheirName() {
        assertThat(Reason.of(new NoSuchFileException("/x"))).isEqualTo("there is no such file (/x)");
        assertThat(Reason.of(new NoSuchFileException("/x"), Path.of("/x"))).isEqualTo("there is no such file");
        assertThat(Reason.of(new UncheckedIOException(new AccessDeniedException("/x")), "/y"))
                .isEqualTo("permission denied (/x)");
        assertThat(Reason.without(new FileSystemException("/x", null, "Is a directory"))).isEqualTo("it is a folder");
        assertThat(Reason.of(new FileSystemException("/x"))).isEqualTo("the system refuses it (/x)");
    }

    @Test
    void noReasonIsEmpty() {
        assertThat(Reason.of(new ClosedChannelException())).isEqualTo("the connection or the file was closed");
        assertThat(Reason.of(new ConnectException())).isEqualTo("the connection is refused");
        assertThat(Reason.of(new ConnectException("Connection refused"))).isEqualTo("the connection is refused");
        assertThat(Reason.of(new UnknownHostException("no.invalid"))).isEqualTo("the host name is unknown: no.invalid");
        assertThat(Reason.of(new IOException())).isEqualTo("an unexpected IOException");
        assertThat(Reason.of(new IOException(null, new ConnectException()))).isEqualTo("the connection is refused");
        assertThat(Reason.of(new IOException("its own words"))).isEqualTo("its own words");
    }

    @Test
    void theSystemsWordsAreThoseOfAPerson() {
        Throwable folder = catchThrowable(() -> Files.readAllBytes(Path.of("/")));
        assertThat(Reason.of(folder)).isEqualTo("it is a folder");
        Throwable below = catchThrowable(() -> Files.readAllBytes(Path.of("/etc/passwd/x")));
        assertThat(Reason.of(below, "/etc/passwd/x")).isEqualTo("a part of its path is a file, not a folder");
    }
}
