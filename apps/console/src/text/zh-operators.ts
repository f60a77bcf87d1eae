/** More texts in simplified Chinese: the log of requests, people, budgets, guardrails and routes. */
export const zhOperators = {
  'A day ago': '一天前',
  'A week ago': '一周前',
  'An hour ago': '一小时前',
  'Any other moment: the field To': '其他时间：使用“至”字段',
  'Back to the newest': '回到最新',
  Duration: '耗时',
  'Export as CSV': '导出为 CSV',
  'Jump to a time': '跳到某个时间',
  'Live and test': '正式与测试',
  'Nothing was saved: after {count} rows {why}': '未保存任何内容：在 {count} 行之后，{why}',
  'Save these filters': '保存这些筛选条件',
  'Save these filters…': '保存这些筛选条件…',
  'Saved filters': '已保存的筛选',
  'Six hours ago': '六小时前',
  'The caller saw': '调用方看到',
  'The list begins at {time}.': '列表从 {time} 开始。',
  'There is nothing to export': '没有可导出的内容',
  'They are kept in this browser. To share them, send the address of the page.':
    '保存在此浏览器中。要分享，请发送页面地址。',
  '{count} rows are saved': '已保存 {count} 行',
  '{count} rows so far · Cancel': '已读 {count} 行 · 取消',
} as const;
