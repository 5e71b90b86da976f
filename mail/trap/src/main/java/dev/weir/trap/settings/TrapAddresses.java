package dev.weir.trap.settings;

import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The addresses and domains that are traps. Letter case is ignored. A whole domain counts as one trap, because one
 * sender can invent any number of its addresses. Immutable.
 */
public final class TrapAddresses {
    /** No traps. */
    public static final TrapAddresses NONE = new TrapAddresses(Set.of());

    private static final Pattern ADDRESS = Pattern.compile("[!-?A-~]{1,64}@[a-z0-9._-]{1,255}");
    private static final Pattern DOMAIN = Pattern.compile("[a-z0-9._-]{1,255}");

    /** Addresses, and domains with a leading {@code @}, in lower case. */
    private final Set<String> traps;

    private TrapAddresses(Set<String> traps) {
        this.traps = Set.copyOf(traps);
    }

    /**
     * Reads addresses such as {@code bait@example.org} and domains such as {@code trap.example} or
     * {@code @trap.example}.
     *
     * @throws IllegalArgumentException if a text is neither; the message names it
     */
    public static TrapAddresses of(Collection<String> texts) {
        Set<String> traps = new HashSet<>();
        for (String text : texts) {
            String lower = text.strip().toLowerCase(Locale.ROOT);
            String domain = lower.startsWith("@") ? lower.substring(1) : lower;
            if (DOMAIN.matcher(domain).matches()) {
                traps.add("@" + domain);
            } else if (ADDRESS.matcher(lower).matches()) {
                traps.add(lower);
            } else {
                throw new IllegalArgumentException("\"" + text + "\" is neither an address such as bait@example.org"
                        + " nor a domain such as trap.example");
            }
        }
        return new TrapAddresses(traps);
    }

    /** Returns the trap that an address belongs to: itself or {@code @domain}. Empty if it is no trap. */
    public Optional<String> trap(String address) {
        String lower = address.toLowerCase(Locale.ROOT);
        if (traps.contains(lower)) {
            return Optional.of(lower);
        }
        int at = lower.lastIndexOf('@');
        return Optional.of(at < 0 ? lower : lower.substring(at)).filter(domain -> at >= 0 && traps.contains(domain));
    }

    /** Returns whether there are none. */
    public boolean isEmpty() {
        return traps.isEmpty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TrapAddresses that && traps.equals(that.traps);
    }

    @Override
    public int hashCode() {
        return traps.hashCode();
    }

    @Override
    public String toString() {
        return traps.size() + " traps";
    }
}
