package dev.weir.model.failure;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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
        assertThat(Reason.of(new IOException())).isEqualTo("a bug without a description");
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

    /** Exceptions of every kind, without a message of their own or with one of Java's that names classes. */
    static Stream<Throwable> failures() {
        IOException cause = new IOException("the disk is full");
        return Stream.of(new IOException(), new IOException(" "), new IllegalStateException(), new TimeoutException(),
                new InterruptedException(), new CancellationException(), new UnresolvedAddressException(),
                new BufferUnderflowException(), new OutOfMemoryError("Java heap space"), new StackOverflowError(),
                new NoClassDefFoundError("dev/weir/load/stream/Pace$Open"), new ClassNotFoundException("dev.weir.Main"),
                new UnsatisfiedLinkError("no zstd in java.library.path"), new ExceptionInInitializerError(),
                new ExecutionException(cause), new ExecutionException(new IllegalStateException()),
                new CompletionException(new ExecutionException(cause)), new UncheckedIOException(cause),
                new SSLHandshakeException("PKIX path building failed: sun.security.provider.certpath."
                        + "SunCertPathBuilderException: unable to find valid certification path to requested target"),
                new IOException("java.util.concurrent.TimeoutException"), new EOFException(), new ConnectException(),
                new SocketTimeoutException(), new FileSystemException("/x"),
                catchThrowable(() -> ((Object) "").getClass().cast(1)),
                catchThrowable(() -> Objects.requireNonNull(null)),
                catchThrowable(() -> {
                    try (ExecutorService closed = Executors.newSingleThreadExecutor()) {
                        closed.shutdown();
                        closed.execute(() -> {});
                    }
                }));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void noClassOfJavaReachesAPerson(Throwable failure) {
        assertThat(Reason.of(failure)).isNotBlank().doesNotContainPattern("Exception|Error|dev.weir|java[./]|sun\\.")
                .matches("[a-zP].*");
    }

    @Test
    void wrappersAndQuotesKeepTheWords() {
        assertThat(Reason.of(new CompletionException(new ExecutionException(new IOException("the disk is full")))))
                .isEqualTo("the disk is full");
        assertThat(Reason.of(new SSLHandshakeException("PKIX path building failed: sun.security.provider.certpath."
                + "SunCertPathBuilderException: unable to find valid certification path to requested target")))
                .isEqualTo("PKIX path building failed: unable to find valid certification path to requested target");
        assertThat(Reason.of(new IOException("mx.example.org: no answer"))).isEqualTo("mx.example.org: no answer");
    }
}
