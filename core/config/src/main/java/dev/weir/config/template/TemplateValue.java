package dev.weir.config.template;

import java.util.Map;

/** A value of a template expression, with the rules of Lua: only nil and false count as false. */
sealed interface TemplateValue {
    record Nil() implements TemplateValue {
        static final Nil NIL = new Nil();
    }

    record Bool(boolean value) implements TemplateValue {}

    record Num(double value) implements TemplateValue {}

    record Text(String value) implements TemplateValue {}

    record Table(Map<String, TemplateValue> members) implements TemplateValue {
        public Table {
            members = Map.copyOf(members);
        }
    }

    default boolean truth() {
        return !(this instanceof Nil) && !(this instanceof Bool bool && !bool.value());
    }

    /** Returns the value as it appears in the output. */
    default String shown() {
        return switch (this) {
            case Nil nil -> "";
            case Bool bool -> String.valueOf(bool.value());
            case Num num -> num.value() == Math.rint(num.value()) && Math.abs(num.value()) < 1e14
                    ? String.valueOf((long) num.value())
                    : String.valueOf(num.value());
            case Text text -> text.value();
            case Table table -> "";
        };
    }

    /** Returns the kind of the value, with an article, for messages. */
    default String kind() {
        return switch (this) {
            case Nil nil -> "an undefined name";
            case Bool bool -> "a boolean";
            case Num num -> "a number";
            case Text text -> "a string";
            case Table table -> "a table";
        };
    }
}
