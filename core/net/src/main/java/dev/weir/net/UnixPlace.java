package dev.weir.net;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Unix-domain socket to listen on, as {@code bind_socket} and {@code control_socket} name it: a path, and the words
 * {@code mode=0660}, {@code owner=USER} and {@code group=GROUP} in any order.
 */
public final class UnixPlace extends SocketAddress {
    private static final long serialVersionUID = 1;

    /** Linux keeps 108 bytes for the path, and a zero ends it. */
    private static final int MAX_PATH = 107;
    private static final Pattern WORD = Pattern.compile("(mode|owner|group)=(\\S+)");
    private static final Pattern RELATIVE = Pattern.compile("[^\\s:/]+/\\S*\\.sock(?:\\s.*)?");
    private static final Pattern MODE = Pattern.compile("0?[0-7]{3}");
    private static final String FORM = "write a path, and after it mode=0660, owner=USER or group=GROUP if others may "
            + "open it";

    private final transient Path path;
    private final transient Optional<Set<PosixFilePermission>> mode;
    private final String owner;
    private final String group;

    private UnixPlace(Path path, Optional<Set<PosixFilePermission>> mode, String owner, String group) {
        this.path = path;
        this.mode = mode;
        this.owner = owner;
        this.group = group;
    }

    /** Returns whether a text names a socket and no network address: no host has a slash in its name. */
    public static boolean isPath(String text) {
        return text.startsWith("/") || text.startsWith("./") || text.startsWith("../")
                || RELATIVE.matcher(text).matches();
    }

    /**
     * Parses a place.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    public static UnixPlace parse(String text) {
        String[] words = text.strip().split("\\s+", -1);
        if (words[0].length() > MAX_PATH) {
            throw new IllegalArgumentException("\"" + words[0] + "\" is longer than the " + MAX_PATH
                    + " characters that the path of a socket may have");
        }
        Optional<Set<PosixFilePermission>> mode = Optional.empty();
        String owner = "";
        String group = "";
        for (int i = 1; i < words.length; i++) {
            Matcher word = WORD.matcher(words[i]);
            if (!word.matches()) {
                throw new IllegalArgumentException("\"" + text + "\" is not a valid socket: " + FORM);
            }
            String value = word.group(2);
            switch (word.group(1)) {
                case "mode" -> mode = Optional.of(mode(value, text));
                case "owner" -> owner = known(value, false);
                default -> group = known(value, true);
            }
        }
        return new UnixPlace(Path.of(words[0]), mode, owner, group);
    }

    private static Set<PosixFilePermission> mode(String octal, String text) {
        if (!MODE.matcher(octal).matches()) {
            throw new IllegalArgumentException("\"" + text + "\" is not a valid socket: its mode is not like 0660");
        }
        StringBuilder permissions = new StringBuilder();
        for (char digit : octal.substring(octal.length() - 3).toCharArray()) {
            int bits = digit - '0';
            permissions.append((bits & 4) != 0 ? 'r' : '-').append((bits & 2) != 0 ? 'w' : '-')
                    .append((bits & 1) != 0 ? 'x' : '-');
        }
        return PosixFilePermissions.fromString(permissions.toString());
    }

    /** Returns a name that this machine knows. */
    private static String known(String name, boolean isGroup) {
        try {
            var names = FileSystems.getDefault().getUserPrincipalLookupService();
            return (isGroup ? names.lookupPrincipalByGroupName(name) : names.lookupPrincipalByName(name)) == null
                    ? ""
                    : name;
        } catch (IOException e) {
            throw new IllegalArgumentException("\"" + (isGroup ? "group=" : "owner=") + name
                    + "\": this machine has no " + (isGroup ? "group" : "user") + " \"" + name
                    + "\": create it, or write another " + (isGroup ? "group=" : "owner="), e);
        }
    }

    /** Returns the path of the socket. */
    public Path path() {
        return path;
    }

    /** Returns whether the text has nothing but the path. */
    public boolean isPlain() {
        return mode.isEmpty() && owner.isEmpty() && group.isEmpty();
    }

    /** Returns the file, with a mode unless the text names one. */
    public UnixSocketFile file(Set<PosixFilePermission> usual) {
        return new UnixSocketFile(path, mode.orElse(usual), owner, group);
    }

    /** Returns the mode; empty if the text names none. */
    public Optional<Set<PosixFilePermission>> mode() {
        return mode;
    }

    /** Returns the user who shall own the socket; empty for the user of the process. */
    public String owner() {
        return owner;
    }

    /** Returns the group of the socket; empty for the first group of the owner, or that of the process. */
    public String group() {
        return group;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UnixPlace place && path.equals(place.path) && mode.equals(place.mode)
                && owner.equals(place.owner) && group.equals(place.group);
    }

    @Override
    public int hashCode() {
        return Objects.hash(path, mode, owner, group);
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
