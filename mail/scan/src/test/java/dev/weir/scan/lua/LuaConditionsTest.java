package dev.weir.scan.lua;

import dev.weir.scan.LearnCondition;
import dev.weir.scan.LearnConditionContract;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

final class LuaConditionsTest {
    /** The contract, with a script from the subclass. */
    abstract static class Scripted extends LearnConditionContract {
        private final LuaConditions conditions = new LuaConditions();

        abstract String script();

        @Override
        protected LearnCondition condition() {
            return conditions.read("rule", "return function(task) " + script() + " end");
        }

        @AfterEach
        void close() {
            conditions.close();
        }
    }

    @Nested
    final class Agreeing extends Scripted {
        @Override
        String script() {
            return "return true";
        }
    }

    @Nested
    final class ChoosingAnotherFlag extends Scripted {
        @Override
        String script() {
            return "return true, 7";
        }
    }

    @Nested
    final class Refusing extends Scripted {
        @Override
        String script() {
            return "return false";
        }
    }

    @Nested
    final class Failing extends Scripted {
        @Override
        String script() {
            return "error('made up')";
        }
    }
}
