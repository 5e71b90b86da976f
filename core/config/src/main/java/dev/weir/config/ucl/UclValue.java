package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/** A configuration value with its place and the priority of its file. */
public sealed interface UclValue
        permits UclObject, UclArray, UclString, UclInteger, UclDouble, UclTime, UclBoolean, UclNull {
    /** Returns the place of the value. */
    Origin origin();

    /** Returns the priority of its file, 0 to 15. Of two values for one key, the one with the higher priority wins. */
    int priority();

    /** Returns the kind of the value, with an article, for messages. */
    default String kind() {
        return switch (this) {
            case UclObject object -> "a section";
            case UclArray array -> "an array";
            case UclString string -> string.quoted() ? "a quoted string" : "a string";
            case UclInteger integer -> "an integer";
            case UclDouble number -> "a number";
            case UclTime time -> "a time";
            case UclBoolean bool -> "a boolean";
            case UclNull nothing -> "nothing (null)";
        };
    }
}
