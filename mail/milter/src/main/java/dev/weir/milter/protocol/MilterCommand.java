package dev.weir.milter.protocol;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One packet of a mail server (docs/reference/milter-protocol.md#commands). Texts have one character for each byte, as
 * in ISO-8859-1, so nothing is lost.
 */
public sealed interface MilterCommand {
    /**
     * The start of a connection: what the mail server supports.
     *
     * @param version the highest version
     * @param actions what the filter may do: {@link MilterOffer} names the bits
     * @param steps what the filter may leave out
     */
    record Negotiate(int version, int actions, int steps) implements MilterCommand {}

    /**
     * Facts that go with the next command.
     *
     * @param stage the code of that command
     * @param values by name, without braces
     */
    record Macros(char stage, Map<String, String> values) implements MilterCommand {
        /** Copies the map. */
        public Macros {
            values = Map.copyOf(values);
        }
    }

    /**
     * The client of the mail server.
     *
     * @param host its name, or its address in brackets
     * @param address empty if it is unknown or a Unix-domain socket
     */
    record Connect(String host, Optional<InetAddress> address) implements MilterCommand {}

    /** The client's HELO or EHLO name. */
    record Helo(String name) implements MilterCommand {}

    /** The start of a mail: the sender in angle brackets, then the parameters. */
    record MailFrom(List<String> arguments) implements MilterCommand {
        /** Copies the list. */
        public MailFrom {
            arguments = List.copyOf(arguments);
        }
    }

    /** A recipient in angle brackets, then the parameters. */
    record RcptTo(List<String> arguments) implements MilterCommand {
        /** Copies the list. */
        public RcptTo {
            arguments = List.copyOf(arguments);
        }
    }

    /**
     * A header field.
     *
     * @param value with its folds; with the space after the colon if {@link MilterOffer#LEADING_SPACE} was agreed
     */
    record Header(String name, String value) implements MilterCommand {}

    /** A piece of the body. */
    record Body(ByteBuffer chunk) implements MilterCommand {}

    /** The end of a mail, possibly with the last piece of its body. */
    record EndOfBody(ByteBuffer chunk) implements MilterCommand {}

    /** A command without content. */
    enum Bare implements MilterCommand {
        /** The client begins to send the mail. */
        DATA,
        /** All header fields were sent. */
        END_OF_HEADERS,
        /** The mail is given up; the connection goes on. */
        ABORT,
        /** The connection ends. */
        QUIT,
        /** The client left, and the same connection goes on with another one. */
        QUIT_CLIENT,
        /** The client sent a command of SMTP that the mail server does not know. */
        UNKNOWN
    }
}
