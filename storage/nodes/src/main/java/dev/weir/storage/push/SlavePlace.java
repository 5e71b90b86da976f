package dev.weir.storage.push;

/** What a slave says about its place in the log of a master. */
public sealed interface SlavePlace {
    /** It says nothing, as Rspamd and earlier versions of Weir. */
    record Untold() implements SlavePlace {}

    /** It has nothing of this log under this name. */
    record Nothing() implements SlavePlace {}

    /** It does not know what it has of this log. */
    record Doubtful() implements SlavePlace {}

    /** It has everything up to a place. */
    record At(LogPlace place) implements SlavePlace {}

    /** The text of {@link Nothing}. */
    String NOTHING = "nothing";

    /** The text of {@link Doubtful}. */
    String DOUBTFUL = "doubtful";

    /** Returns the value of a header; empty if there is nothing to say. */
    default String text() {
        return switch (this) {
            case Untold _ -> "";
            case Nothing _ -> NOTHING;
            case Doubtful _ -> DOUBTFUL;
            case At at -> at.place().toString();
        };
    }

    /** Returns what the value of a header says. A value that cannot be understood is a doubt. */
    static SlavePlace of(String text) {
        return switch (text) {
            case "" -> new Untold();
            case NOTHING -> new Nothing();
            case DOUBTFUL -> new Doubtful();
            default -> LogPlace.parse(text).<SlavePlace>map(At::new).orElseGet(Doubtful::new);
        };
    }
}
