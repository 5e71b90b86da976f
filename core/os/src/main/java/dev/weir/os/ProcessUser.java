package dev.weir.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/**
 * The user of this process. Users are compared by their numbers, because a number need not have a name: a container
 * often runs with one that its image does not know, and then Java calls the user "?".
 */
public final class ProcessUser {
    private static final int ADMINISTRATOR = 0;
    private static final String NAMELESS = "?";
    private static final String UIDS = "Uid:";

    private ProcessUser() {}

    private static final class Holder {
        static final OptionalInt NUMBER = find();

        private static OptionalInt find() {
            try {
                return effective(Files.readAllLines(Path.of("/proc/self/status")));
            } catch (IOException e) {
                return ofNewFile();
            }
        }
    }

    /** Returns the effective user among the lines of {@code /proc/self/status}. */
    static OptionalInt effective(List<String> status) {
        for (String line : status) {
            String[] fields = line.split("\\s+", -1);
            if (fields[0].equals(UIDS) && fields.length > 2) {
                return OptionalInt.of(Integer.parseUnsignedInt(fields[2]));
            }
        }
        return ofNewFile();
    }

    /** On systems without {@code /proc}, the owner of a file that this process made tells. */
    private static OptionalInt ofNewFile() {
        try {
            Path made = Files.createTempFile("weir", null);
            try {
                return OptionalInt.of(owner(made));
            } finally {
                Files.delete(made);
            }
        } catch (IOException | UnsupportedOperationException e) {
            return OptionalInt.empty();
        }
    }

    private static int owner(Path file, LinkOption... options) throws IOException {
        return (int) Files.getAttribute(file, "unix:uid", options);
    }

    /** Returns whether a file belongs to the user of this process or to the system's administrator. */
    static boolean owns(Path file, LinkOption... options) throws IOException {
        return isTrusted(owner(file, options), Holder.NUMBER);
    }

    /** Returns whether an owner is the user of a process or the system's administrator. */
    static boolean isTrusted(int owner, OptionalInt process) {
        return owner == ADMINISTRATOR || (process.isPresent() && owner == process.getAsInt());
    }

    /** Returns the name of the user for people, or the number of a user without a name. */
    public static String name() {
        return name(System.getProperty("user.name", NAMELESS), Holder.NUMBER);
    }

    static String name(String name, OptionalInt number) {
        return name.equals(NAMELESS) && number.isPresent() ? Integer.toUnsignedString(number.getAsInt()) : name;
    }
}
