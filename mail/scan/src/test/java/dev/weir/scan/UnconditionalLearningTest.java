package dev.weir.scan;

final class UnconditionalLearningTest extends LearnConditionContract {
    @Override
    protected LearnCondition condition() {
        return LearnCondition.ALWAYS;
    }
}
