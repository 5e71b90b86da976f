package dev.weir.config.template;

import java.util.HashMap;
import java.util.Map;

/** The names that templates may use (docs/reference/configuration-language.md#templates). */
public final class TemplateContext {
    private final Map<String, TemplateValue> globals;

    private TemplateContext(Map<String, TemplateValue> globals) {
        this.globals = Map.copyOf(globals);
    }

    /**
     * Returns a context with two tables.
     *
     * @param env the table {@code env}; its names are also visible without the prefix
     * @param paths the table {@code paths}
     */
    public static TemplateContext of(Map<String, String> env, Map<String, String> paths) {
        Map<String, TemplateValue> globals = new HashMap<>(table(env).members());
        globals.put("env", table(env));
        globals.put("paths", table(paths));
        return new TemplateContext(globals);
    }

    private static TemplateValue.Table table(Map<String, String> texts) {
        Map<String, TemplateValue> members = new HashMap<>();
        texts.forEach((name, text) -> members.put(name, new TemplateValue.Text(text)));
        return new TemplateValue.Table(members);
    }

    Map<String, TemplateValue> globals() {
        return globals;
    }
}
