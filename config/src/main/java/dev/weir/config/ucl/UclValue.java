package dev.weir.config.ucl;

import dev.weir.config.source.Origin;

/** One value of a configuration; knows its place and the priority of the file that it came from. */
public sealed interface UclValue
        permits UclObject, UclArray, UclString, UclInteger, UclDouble, UclTime, UclBoolean, UclNull {
    /** Where the value stands. */
    Origin origin();

    /** The priority of its file, 0 to 15: of two values for one key the higher one stays. */
    int priority();

    /** What kind of value it is, with an article, for messages. */
    default String kind() {
        return switch (this) {
            case UclObject object -> "a section";
            case UclArray array -> "an array";
            case UclString string -> string.quoted() ? "a quoted string" : "a string";
            case UclInteger integer -> "an integer";
            case UclDouble number -> "a number";
            case UclTime time -> "a time";
            case UclBoolean bool -> "a boolean";
            case UclNull nothing -> "null";
        };
    }
}
