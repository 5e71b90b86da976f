package dev.weir.scan.lua;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.weir.lua.LuaException;
import dev.weir.lua.LuaLimits;
import dev.weir.lua.LuaSource;
import dev.weir.lua.ScriptLog;
import dev.weir.lua.task.Decision;
import dev.weir.scan.LearnCondition;
import dev.weir.scan.ScanContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learn conditions in Lua (docs/integrate/lua.md). Each script is read once, when a client opens. A failure of a script
 * at run time is a decision not to learn. Close the conditions after the client that uses them.
 */
public final class LuaConditions implements LearnCondition.Source, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LuaConditions.class);

    private final List<dev.weir.lua.task.LearnScript> open = new CopyOnWriteArrayList<>();

    /** Creates a source without conditions. */
    public LuaConditions() {}

    @Override
    public LearnCondition read(String rule, String script) {
        dev.weir.lua.task.LearnScript condition;
        try {
            condition = dev.weir.lua.task.LearnScript.load(
                    LuaSource.inline("learn_condition of rule " + rule, script), LuaLimits.condition(),
                    LuaConditions::log);
        } catch (LuaException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        open.add(condition);
        return subject -> decision(condition
                .decide(new MailTask(subject.mail(), subject.analyzed(), envelope(subject.context()))));
    }

    private static LearnCondition.Decision decision(Decision decided) {
        return new LearnCondition.Decision(decided.learn(), decided.flag(), decided.text());
    }

    private static MailEnvelope envelope(ScanContext context) {
        Map<String, String> headers = new HashMap<>();
        context.headers().forEach((name, values) -> {
            if (!values.isEmpty()) {
                headers.put(name, values.getFirst());
            }
        });
        return new MailEnvelope(context.ip() == null ? null : context.ip().getHostAddress(), context.user(),
                context.helo(), context.hostname(), context.queueId(), context.from(), context.recipients(), headers);
    }

    private static void log(ScriptLog.Level level, String message) {
        switch (level) {
            case DEBUG -> LOG.debug("{}", message);
            case INFO, MESSAGE -> LOG.info("{}", message);
            case WARNING -> LOG.warn("{}", message);
            case ERROR -> LOG.error("{}", message);
        }
    }

    @Override
    public void close() {
        open.forEach(dev.weir.lua.task.LearnScript::close);
        open.clear();
    }
}
