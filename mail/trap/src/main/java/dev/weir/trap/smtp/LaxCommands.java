package dev.weir.trap.smtp;

import java.io.IOException;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.subethamail.smtp.DropConnectionException;
import org.subethamail.smtp.internal.command.MailCommand;
import org.subethamail.smtp.internal.server.BaseCommand;
import org.subethamail.smtp.internal.server.Command;
import org.subethamail.smtp.internal.server.CommandHandler;
import org.subethamail.smtp.internal.server.HelpMessage;
import org.subethamail.smtp.server.Session;

/**
 * The commands that differ from those of the library. A trap takes any sender, because spammers write any. It counts
 * mails whose declared size is too large. It does not offer CHUNKING (RFC 3030): the library takes the end of the
 * connection within a chunk for the end of the mail.
 */
final class LaxCommands {
    private LaxCommands() {}

    /**
     * Replaces commands of a server.
     *
     * @param mostBytes the largest mail that is taken
     * @param tooLarge what counts mails that are declared to be larger
     */
    static void install(CommandHandler commands, IntSupplier mostBytes, Runnable tooLarge) {
        commands.addCommand(new Greeting(mostBytes));
        commands.addCommand(new Sender(mostBytes, tooLarge));
        commands.addCommand(new NoChunks());
    }

    /** {@code EHLO} without CHUNKING. */
    private static final class Greeting extends BaseCommand {
        private final IntSupplier mostBytes;

        Greeting(IntSupplier mostBytes) {
            super("EHLO", "Introduce yourself.", "<hostname>");
            this.mostBytes = mostBytes;
        }

        @Override
        public void execute(String line, Session session) throws IOException {
            String[] words = getArgs(line);
            if (words.length < 2) {
                session.sendResponse("501 Syntax: EHLO hostname");
                return;
            }
            session.resetMailTransaction();
            session.setHelo(words[1]);
            boolean offersTls = session.getServer().getEnableTLS() && !session.isTLSStarted();
            session.sendResponse("250-" + session.getServer().getHostName()
                    + (offersTls ? "\r\n250-STARTTLS" : "") + "\r\n250-8BITMIME\r\n250-SIZE "
                    + mostBytes.getAsInt() + "\r\n250-SMTPUTF8\r\n250 Ok");
        }
    }

    /** {@code MAIL} with any sender. */
    private static final class Sender implements Command {
        /** The parameter behind the address. A quoted address may contain the same words. */
        private static final Pattern SIZE = Pattern.compile("((?:.*>)?[^>]*?)\\sSIZE=([0-9]+)(?=\\s|$)(.*)",
                Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

        /** The most digits that fit into a long. */
        private static final int MOST_DIGITS = 18;

        private final MailCommand any = new MailCommand(_ -> true);
        private final IntSupplier mostBytes;
        private final Runnable tooLarge;

        Sender(IntSupplier mostBytes, Runnable tooLarge) {
            this.mostBytes = mostBytes;
            this.tooLarge = tooLarge;
        }

        @Override
        public void execute(String line, Session session) throws IOException, DropConnectionException {
            Matcher size = SIZE.matcher(line);
            if (!size.matches()) {
                any.execute(line, session);
            } else if (isTooLarge(size.group(2)) && !session.isMailTransactionInProgress()) {
                tooLarge.run();
                session.sendResponse("552 5.3.4 The mail is too large");
            } else {
                any.execute(size.group(1) + size.group(3), session);
            }
        }

        private boolean isTooLarge(String digits) {
            return digits.length() > MOST_DIGITS || Long.parseLong(digits) > mostBytes.getAsInt();
        }

        @Override
        public HelpMessage getHelp() {
            return any.getHelp();
        }

        @Override
        public String getName() {
            return any.getName();
        }
    }

    /** {@code BDAT}, which clients use only if it is offered. */
    private static final class NoChunks extends BaseCommand {
        NoChunks() {
            super("BDAT", "Not offered.");
        }

        @Override
        public void execute(String line, Session session) throws IOException {
            session.sendResponse("502 5.5.1 Use DATA");
            // What follows is a part of a mail and no command.
            session.quit();
        }
    }
}
