package dev.weir.trap.campaign;

/**
 * Who has to do with a campaign. Sources of one kind are counted.
 *
 * @param kind its kind
 * @param name its name, the same each time
 */
public record CampaignSource(Kind kind, String name) {
    /** The kinds of sources. */
    public enum Kind {
        /** A trap that received the campaign. */
        TRAP(0),
        /** A network that sent it. */
        NETWORK(1),
        /** A user who complained about it. */
        COMPLAINT(2),
        /** A user who wants to keep it. */
        KEEP(3);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        /** Returns the number in the file. */
        int code() {
            return code;
        }

        /** Returns the kind whose vote of the same name this one replaces; itself if there is none. */
        Kind opposite() {
            return switch (this) {
                case TRAP, NETWORK -> this;
                case COMPLAINT -> KEEP;
                case KEEP -> COMPLAINT;
            };
        }
    }
}
