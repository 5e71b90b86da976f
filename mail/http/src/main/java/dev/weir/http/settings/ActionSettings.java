package dev.weir.http.settings;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.config.Configuration;
import dev.weir.config.option.Problems;
import dev.weir.config.ucl.UclDouble;
import dev.weir.config.ucl.UclInteger;
import dev.weir.config.ucl.UclNull;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclValue;
import dev.weir.http.controller.Actions;

/**
 * A reader of the section {@code actions}, whose thresholds hold for HTTP and for the milter. Other names give a
 * warning, because Rspamd's configurations may define actions and options that Weir does not have.
 */
public final class ActionSettings {
    private ActionSettings() {}

    /** Returns the thresholds, or Rspamd's defaults if the section is absent. */
    public static Actions read(Configuration configuration, Problems problems) {
        List<UclObject> sections = configuration.sections("actions");
        if (sections.isEmpty()) {
            return Actions.DEFAULT;
        }
        Map<String, Double> thresholds = new HashMap<>();
        for (UclObject actions : sections) {
            actions.members().forEach((key, values) -> {
                String name = key.replace('_', ' ');
                if (Actions.NAMES.contains(name)) {
                    threshold(values.getLast(), problems).ifPresent(score -> thresholds.put(name, score));
                } else {
                    problems.warning(values.getLast().origin(), "\"" + key
                            + "\" of actions has no effect: Weir's actions are " + String.join(", ", Actions.NAMES));
                }
            });
        }
        return Actions.of(thresholds);
    }

    private static Optional<Double> threshold(UclValue value, Problems problems) {
        return switch (value) {
            case UclInteger whole -> Optional.of((double) whole.value());
            case UclDouble real when Double.isFinite(real.value()) -> Optional.of(real.value());
            case UclNull _ -> Optional.empty();
            default -> {
                problems.error(value.origin(), "expected the score of an action, but found " + value.kind());
                yield Optional.empty();
            }
        };
    }
}
