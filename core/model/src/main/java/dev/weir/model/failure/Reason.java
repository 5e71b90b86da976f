package dev.weir.model.failure;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * The reason of a failure in words for a person. The exceptions of Java carry only the name of the file, or no message
 * at all, where a person needs the reason.
 */
public final class Reason {
    private static final String INTERNAL = "a bug without a description";
    private static final String INCOMPLETE = "a part of the program is missing or does not fit; install it again";
    /** The full name of a class of exceptions, with the colon behind it. */
    private static final Pattern CLASS = Pattern
            .compile("\\b(?:[a-z][a-z0-9_]*+\\.)++[A-Z][A-Za-z0-9_$]*(?:Exception|Error)\\b:?\\s*");

    private Reason() {}

    /** Returns the reason, never empty, with the name of the file if the exception has one. */
    public static String of(Throwable failure) {
        return of(failure, "");
    }

    /** Returns the reason like {@link #of}, for a message that names a file itself. */
    public static String of(Throwable failure, Object named) {
        return reason(failure, named.toString());
    }

    /** Returns the reason like {@link #of}, without the name of the file. */
    public static String without(Throwable failure) {
        return reason(failure, failure instanceof FileSystemException e && e.getFile() != null ? e.getFile() : "");
    }

    private static String reason(Throwable failure, String named) {
        return switch (failure) {
            case NoSuchFileException e -> "there is no such file" + place(e, named);
            case AccessDeniedException e -> "permission denied" + place(e, named);
            case FileAlreadyExistsException e -> "a file of that name exists already" + place(e, named);
            case DirectoryNotEmptyException e -> "the folder is not empty" + place(e, named);
            case NotDirectoryException e -> "it is not a folder" + place(e, named);
            case FileSystemLoopException e -> "the link leads back to a folder above it" + place(e, named);
            case FileSystemException e when e.getReason() != null -> words(e.getReason()) + place(e, named);
            case FileSystemException e -> "the system refuses it" + place(e, named);
            case CharacterCodingException _ -> "it is not UTF-8 text";
            case ClosedChannelException _ -> "the connection or the file was closed";
            case EOFException e when isBare(e) -> "it ends too early";
            case UnknownHostException e -> "the host name is unknown" + (isBare(e) ? "" : ": " + message(e));
            case ConnectException e when isBare(e) -> "the connection is refused";
            case NoRouteToHostException e when isBare(e) -> "there is no route to the host";
            case SocketTimeoutException e when isBare(e) -> "there is no answer in time";
            case FileNotFoundException e when !isBare(e) -> words(message(e));
            case UncheckedIOException e when e.getCause() != null -> reason(e.getCause(), named);
            case TimeoutException e when isBare(e) -> "there is no answer in time";
            case InterruptedException e when isBare(e) -> "it was interrupted";
            case CancellationException e when isBare(e) -> "it was canceled";
            case RejectedExecutionException _ -> "it is ending, and takes no further work";
            case UnresolvedAddressException _ -> "the host name is unknown";
            case BufferUnderflowException _ -> "it ends too early";
            case OutOfMemoryError _ -> "there is not enough memory";
            case StackOverflowError _ -> "it is nested too deeply";
            case ExceptionInInitializerError e when e.getCause() != null -> reason(e.getCause(), named);
            case LinkageError _ -> INCOMPLETE;
            case ClassNotFoundException _ -> INCOMPLETE;
            // Their messages name classes and methods.
            case NullPointerException _ -> INTERNAL;
            case ClassCastException _ -> INTERNAL;
            // A wrapper without words of its own repeats what it wraps.
            default -> failure.getCause() != null
                    && (isBare(failure) || message(failure).equals(failure.getCause().toString()))
                            ? reason(failure.getCause(), named)
                            : isBare(failure) ? INTERNAL : words(withoutClasses(message(failure)));
        };
    }

    /** Java's own messages quote each other by class: "PKIX path building failed: sun….Exception: unable to …". */
    private static String withoutClasses(String text) {
        String left = CLASS.matcher(text).replaceAll("");
        return left.isBlank() ? INTERNAL : left;
    }

    private static String message(Throwable failure) {
        return Objects.requireNonNullElse(failure.getMessage(), "");
    }

    private static boolean isBare(Throwable failure) {
        return message(failure).isBlank();
    }

    /** Turns the words of the system into those of a person. */
    private static String words(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "is a directory" -> "it is a folder";
            case "not a directory" -> "a part of its path is a file, not a folder";
            case "no such file or directory" -> "there is no such file";
            case "permission denied" -> "permission denied";
            case "connection refused" -> "the connection is refused";
            case "no space left on device" -> "the disk is full";
            case "read-only file system" -> "the file system cannot be written to";
            default -> text;
        };
    }

    private static String place(FileSystemException e, String named) {
        return e.getFile() == null || e.getFile().equals(named) ? "" : " (" + e.getFile() + ")";
    }
}
