package dev.weir.lua.hooks;

import java.util.OptionalLong;

/** The result of the handlers of one kind. */
public sealed interface HookVerdict {
    /** Reply value of a refusal, which means that the command is forbidden. */
    int REFUSED_VALUE = 503;

    /** No handler answered; processing continues as if there were none. */
    HookVerdict CONTINUE = new Continue();

    /** No handler answered. */
    record Continue() implements HookVerdict {}

    /**
     * A handler answered; its values are the reply.
     *
     * @param value value of the reply
     * @param probability 0 to 1
     * @param flag replaces the flag of the reply; set only by post handlers
     */
    record Answer(long value, double probability, OptionalLong flag) implements HookVerdict {}

    /**
     * A handler failed. The reply is {@link #REFUSED_VALUE} with probability 0, and nothing is stored.
     *
     * @param reason one line for the log
     */
    record Refuse(String reason) implements HookVerdict {}
}
