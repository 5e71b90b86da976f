package dev.weir.lua.task;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.lua.LuaException;
import dev.weir.lua.LuaInterface;
import dev.weir.lua.LuaLimits;
import dev.weir.lua.LuaScript;
import dev.weir.lua.LuaSource;
import dev.weir.lua.LuaValue;
import dev.weir.lua.ScriptLog;

/**
 * The {@code learn_condition} of a rule: Lua source that returns a function of a task.
 *
 * <p>Fails closed: any result other than true prevents learning. This deliberately differs from Rspamd: it learns the
 * mail if the script raises an error. Thread-safe; the owner must close it.
 *
 * {@snippet lang = java :
 * try (LearnScript condition = LearnScript.load(LuaSource.inline("fuzzy_check.conf:12", text), LuaLimits.condition(),
 *         log)) {
 *     Decision decision = condition.decide(task);
 *     if (decision.learn()) {
 *         learn(decision.flag().orElse(flag));
 *     }
 * }
 * }
 */
public final class LearnScript implements AutoCloseable {
    private static final LuaInterface INTERFACE = LuaInterface.resource(LearnScript.class, "condition.lua");
    /** Largest flag on the wire: 32 bits. */
    private static final double LARGEST_FLAG = 4_294_967_295.0;

    private final LuaScript script;
    private final Map<Decision.Reason, LongAdder> decisions = new EnumMap<>(Decision.Reason.class);

    private LearnScript(LuaScript script) {
        this.script = script;
        for (Decision.Reason reason : Decision.Reason.values()) {
            decisions.put(reason, new LongAdder());
        }
    }

    /**
     * Compiles the source and verifies that it returns a function.
     *
     * @throws LuaException with file and line
     */
    public static LearnScript load(LuaSource source, LuaLimits limits, ScriptLog log) throws LuaException {
        return new LearnScript(LuaScript.load(source, limits, INTERFACE, log));
    }

    /** Runs the condition. A dry run calls the same method, because it has no other effect. */
    public Decision decide(TaskView task) {
        Decision decision;
        try {
            decision = interpret(script.call("decide", new TaskFunctions(task), List.of()));
        } catch (LuaException e) {
            decision = failed(e);
        }
        LongAdder counter = decisions.get(decision.reason());
        if (counter != null) {
            counter.increment();
        }
        return decision;
    }

    /** Returns the number of decisions so far by reason; the map has all reasons. */
    public Map<Decision.Reason, Long> counters() {
        Map<Decision.Reason, Long> counted = new EnumMap<>(Decision.Reason.class);
        decisions.forEach((reason, counter) -> counted.put(reason, counter.sum()));
        return counted;
    }

    private static Decision failed(LuaException e) {
        Decision.Reason reason = switch (e.kind()) {
            case TIME_LIMIT -> Decision.Reason.TIME_LIMIT;
            case MEMORY_LIMIT -> Decision.Reason.MEMORY_LIMIT;
            case BUSY, UNAVAILABLE -> Decision.Reason.UNAVAILABLE;
            case RUNTIME, SYNTAX -> Decision.Reason.ERROR;
        };
        return new Decision(false, OptionalLong.empty(), reason, "not learned: " + e.getMessage());
    }

    private static Decision interpret(List<LuaValue> results) {
        LuaValue first = results.isEmpty() ? LuaValue.Other.NIL : results.getFirst();
        if (first.isNil()) {
            return new Decision(false, OptionalLong.empty(), Decision.Reason.RETURNED_NOTHING,
                    "not learned: the condition returned nothing; end it with 'return true' to learn all other mails");
        }
        if (!(first instanceof LuaValue.Bool(boolean learn))) {
            return new Decision(false, OptionalLong.empty(), Decision.Reason.RETURNED_NO_BOOLEAN,
                    "not learned: the condition returned a " + first.typeName() + ", not true or false");
        }
        OptionalLong flag = OptionalLong.empty();
        if (results.size() > 1 && results.get(1) instanceof LuaValue.Num(double number)) {
            // Do not learn with an invalid flag: the hash would be stored under a number that no one configured.
            if (!(number >= 1 && number <= LARGEST_FLAG) || number != Math.rint(number)) {
                return new Decision(false, OptionalLong.empty(), Decision.Reason.ERROR,
                        "not learned: the condition returned the flag " + number + ", which is not a flag");
            }
            flag = OptionalLong.of((long) number);
        }
        String with = flag.isPresent() ? " with flag " + flag.getAsLong() : "";
        return learn
                ? new Decision(true, flag, Decision.Reason.SAID_YES, "learned" + with + ": the condition returned true")
                : new Decision(false, flag, Decision.Reason.SAID_NO, "not learned: the condition returned false");
    }

    @Override
    public void close() {
        script.close();
    }
}
